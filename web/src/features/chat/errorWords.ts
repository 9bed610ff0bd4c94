import { wordbook } from '@/i18n'

export const words = wordbook(
  {
    'cause.key': 'The model has no valid key',
    'cause.busy': 'The model did not answer',
    'cause.long': 'Too long for this model',
    'cause.time': 'It took too long',
    'cause.browser': 'The browser is not available',
    'cause.restart': 'The service was restarted',
    'cause.budget': 'The budget is used up',
    'cause.needs_you': 'It needs you, and nobody answered in time',
  },
  {
    'cause.key': 'У модели нет действующего ключа',
    'cause.busy': 'Модель не ответила',
    'cause.long': 'Слишком длинно для этой модели',
    'cause.time': 'Слишком долго',
    'cause.browser': 'Браузер недоступен',
    'cause.restart': 'Сервис перезапускался',
    'cause.budget': 'Бюджет исчерпан',
    'cause.needs_you': 'Нужны вы, но ответа вовремя не было',
  },
)
