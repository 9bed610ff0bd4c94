import { wordbook } from '@/i18n'

export const words = wordbook(
  {
    'handoff.title': 'Hand the browser off',
    'handoff.about':
      'Whoever opens the link first sees the browser of this session and can take it over, without a login. They see no messages, no other session and no settings. It ends when the browser is given back, when the time is over, or when you end it here.',
    'handoff.minutes': 'Valid for',
    'handoff.minutes.n': '{n} min',
    'handoff.make': 'Make a link',
    'handoff.new': 'Make a new link',
    'handoff.link': 'Link',
    'handoff.once': 'It is shown this once, and opens once.',
    'handoff.qr': 'QR code of the link',
    'handoff.waiting': 'Nobody has opened the link yet.',
    'handoff.opened': 'Someone has the browser through the link.',
    'handoff.left': 'Time left: {time}',
    'handoff.end': 'End it',
    'handoff.failed': 'The state could not be loaded.',
  },
  {
    'handoff.title': 'Передача браузера',
    'handoff.about':
      'Кто первым откроет ссылку, увидит браузер этой сессии и сможет им управлять, без входа. Сообщений, других сессий и настроек он не увидит. Доступ закончится, когда браузер вернут, когда выйдет время или когда вы закроете его здесь.',
    'handoff.minutes': 'Действует',
    'handoff.minutes.n': '{n} мин',
    'handoff.make': 'Создать ссылку',
    'handoff.new': 'Создать новую ссылку',
    'handoff.link': 'Ссылка',
    'handoff.once': 'Показывается только сейчас и открывается один раз.',
    'handoff.qr': 'QR-код ссылки',
    'handoff.waiting': 'Ссылку ещё никто не открыл.',
    'handoff.opened': 'Браузер передан по ссылке.',
    'handoff.left': 'Осталось: {time}',
    'handoff.end': 'Завершить',
    'handoff.failed': 'Не удалось загрузить состояние.',
  },
)
