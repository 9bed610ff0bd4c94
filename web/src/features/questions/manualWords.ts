import { wordbook } from '@/i18n'

/** Of a question that is answered in words. */
export const manualWords = wordbook(
  {
    'manual.question': 'A question for you',
    'manual.answer': 'Your answer',
    'manual.reply': 'Answer',
  },
  {
    'manual.question': 'Вопрос к вам',
    'manual.answer': 'Ваш ответ',
    'manual.reply': 'Ответить',
  },
)
