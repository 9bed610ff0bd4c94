import { wordbook } from '@/i18n'

/** Of a question whether a stored login may be typed into a page. */
export const storedLoginWords = wordbook('storedLogin', {
  'login.title': 'Log in?',
  'login.at': 'Log in at',
  'login.as': 'as',
  'login.which': 'Which login',
  'login.otherHost':
    'This login was stored for {site}. The page is on {host}, another host of the same site.',
  'login.oddLetters': 'This name has letters that may only look like others. Check it letter by letter.',
  'login.fills': 'Fills in',
  'login.user': 'user name',
  'login.password': 'password',
  'login.code': 'code',
  'login.unseen': 'The agent never sees them, and nothing is sent before it presses the button of this form.',
  'login.for': 'Allow',
  'login.once': 'this time',
  'login.session': 'in this session',
  'login.automation': 'for this automation',
  'login.no': 'No',
  'login.byHand': 'I do it myself',
  'login.yes': 'Log in',
})
