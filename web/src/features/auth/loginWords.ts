import { wordbook } from '@/i18n'

export const words = wordbook('login', {
  'login.password': 'Password',
  'login.hint':
    'The access token of this server. It was printed where the server was started, and is in its file auth_token.',
  'login.show': 'Show password',
  'login.hide': 'Hide password',
  'login.submit': 'Sign in',
  'login.proxy': 'Go on as {name}',
  'login.oidc': 'Sign in with {host}',
  'login.problem.failed': 'The login provider could not be used. The log of the server says why.',
  'login.problem.refused': 'The login provider did not sign you in.',
  'login.problem.other_attempt': 'This sign-in was begun elsewhere, or too long ago. Try again.',
  'login.problem.not_you': 'You are somebody else than the person of this server (AUTH_USERS).',
  'login.problem.too_many': 'Too many attempts. Wait a minute.',
  'login.wrong': 'Wrong password.',
  'login.offline': 'The server did not answer. Try again.',
  'login.wait': {
    one: 'Too many attempts. Wait {n} second.',
    other: 'Too many attempts. Wait {n} seconds.',
  },
})
