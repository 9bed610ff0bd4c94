import { wordbook } from '@/i18n'

export const words = wordbook('error', {
  'cause.key': 'The model has no valid key',
  'cause.busy': 'The model did not answer',
  'cause.long': 'Too long for this model',
  'cause.time': 'It took too long',
  'cause.browser': 'The browser is not available',
  'cause.restart': 'The service was restarted',
  'cause.budget': 'The budget is used up',
  'cause.needs_you': 'It needs you, and nobody answered in time',
})
