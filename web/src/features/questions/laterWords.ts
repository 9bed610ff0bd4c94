import { wordbook } from '@/i18n'

export const laterWords = wordbook(
  {
    later: 'Remind me later…',
    'later.at': 'Ask me again at',
    'later.send': 'Put off',
    'later.until': 'Put off until {time}. You can answer before.',
  },
  {
    later: 'Напомнить позже…',
    'later.at': 'Спросить снова в',
    'later.send': 'Отложить',
    'later.until': 'Отложено до {time}. Ответить можно и раньше.',
  },
)
