import { wordbook } from '@/i18n'

export const laterWords = wordbook('later', {
  later: 'Remind me later…',
  'later.menu': 'More about this question',
  'later.at': 'Ask me again at',
  'later.send': 'Put off',
  'later.until': 'Put off until {time}. You can answer before.',
})
