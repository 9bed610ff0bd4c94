import { wordbook } from '@/i18n'

export const words = wordbook('model', {
  'model.needs': 'needs a key',
  'model.keys': 'Connect a model…',
})
