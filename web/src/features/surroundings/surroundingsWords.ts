import { wordbook } from '@/i18n'

export const words = wordbook('surroundings', {
  'surroundings.title': 'Surroundings of the browser',
  'surroundings.about':
    'What the browser of this session has of its own. It is in force at once, also for pages that are open.',
  'surroundings.zone': 'Time zone',
  'surroundings.usual': 'As for all sessions',
  'surroundings.locale': 'Language',
  'surroundings.locale.note': 'Such as de or pt-BR. Empty: as for all sessions.',
  'surroundings.proxy': 'Proxy',
  'surroundings.proxy.note': 'It begins with http:// or socks5://. Empty: no proxy.',
  'surroundings.user': 'User name',
  'surroundings.user.note': 'Empty, if the proxy wants no login.',
  'surroundings.password': 'Password',
  'surroundings.password.note': 'Stored encrypted and never shown again.',
  'surroundings.password.kept': 'A password is stored. Empty: it stays.',
  'surroundings.password.lost':
    'The stored password is only for the address and user name that it was given with.',
  'surroundings.save': 'Save',
  'surroundings.saved': 'Surroundings saved',
})
