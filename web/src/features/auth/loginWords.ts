import { wordbook } from '@/i18n'

export const words = wordbook('login', {
  'login.password': 'Password',
  'login.hint':
    'The access token of this server. It was printed where the server was started, and is in its file auth_token.',
  'login.show': 'Show password',
  'login.hide': 'Hide password',
  'login.submit': 'Sign in',
  'login.wrong': 'Wrong password.',
  'login.offline': 'The server did not answer. Try again.',
  'login.wait': {
    one: 'Too many attempts. Wait {n} second.',
    other: 'Too many attempts. Wait {n} seconds.',
  },
})
