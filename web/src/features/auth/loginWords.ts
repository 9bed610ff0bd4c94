import { wordbook } from '@/i18n'

export const words = wordbook(
  {
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
  },
  {
    'login.password': 'Пароль',
    'login.hint':
      'Токен доступа этого сервера. Он показан при запуске сервера и записан в его файле auth_token.',
    'login.show': 'Показать пароль',
    'login.hide': 'Скрыть пароль',
    'login.submit': 'Войти',
    'login.wrong': 'Пароль не подошёл.',
    'login.offline': 'Сервер не ответил. Попробуйте ещё раз.',
    'login.wait': {
      one: 'Слишком много попыток. Подождите {n} секунду.',
      few: 'Слишком много попыток. Подождите {n} секунды.',
      many: 'Слишком много попыток. Подождите {n} секунд.',
      other: 'Слишком много попыток. Подождите {n} секунды.',
    },
  },
)
