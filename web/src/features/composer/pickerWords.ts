import { wordbook } from '@/i18n'

export const words = wordbook('picker', {
  first: 'Ask before starting',
  'first.about': 'Shows the plan and what it is about to do. Nothing happens before your yes.',
  'first.on': 'asks before starting',
  'model.needs': 'needs a key',
  'model.keys': 'Connect a model…',
})
