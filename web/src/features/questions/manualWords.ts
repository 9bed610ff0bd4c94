import { wordbook } from '@/i18n'

/** Of a question that is answered in words. */
export const manualWords = wordbook('manual', {
  'manual.question': 'A question for you',
  'manual.answer': 'Your answer',
  'manual.reply': 'Answer',
})
