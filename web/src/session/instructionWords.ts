import { wordbook } from '@/i18n'

export const words = wordbook('instructions', {
  'instructions.hint':
    'For example: answer in German; compare prices with shipping. Words like “never order” are a request to the model, not a limit.',
  'instructions.count': '{n} of {most}',
})
