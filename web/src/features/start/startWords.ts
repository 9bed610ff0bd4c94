import { wordbook } from '@/i18n'

export const words = wordbook(
  {
    'start.about':
      'Pilothouse works in a real browser while you watch, and asks before anything that matters.',
    'start.limits':
      'It never enters passwords, card numbers or codes on its own and cannot solve captchas: it hands control to you instead.',
    'example.compare': 'Compare the prices of three electric kettles under 50 € and put the best in a table',
    'example.find': 'Find the opening hours and address of the nearest public library',
    'example.form': 'Open a contact form, fill it in with my text and stop before sending',
    'demo.read': 'Open example.com and read the page',
    'demo.click': 'Open example.com, click “Learn more” and read the page',
    'demo.search': 'Open wikipedia.org and search for lighthouse',
    'demo.shot': 'Open news.ycombinator.com, scroll down and take a screenshot',
    'mock.think': 'Think about boats',
    'mock.shop': 'Shop for a kettle',
    'mock.login': 'Log in to my mail',
    'mock.steps': 'Take many steps',
    'example.read': 'Read today’s front page of a news site and sum it up in five lines',
  },
  {
    'start.about':
      'Pilothouse работает в настоящем браузере у вас на глазах и спрашивает перед важными действиями.',
    'start.limits':
      'Сам не вводит пароли, номера карт и коды и не решает капчи: в таких местах передаёт управление вам.',
    'example.compare': 'Сравни цены трёх электрочайников до 50 € и сведи лучшее в таблицу',
    'example.find': 'Найди адрес и часы работы ближайшей публичной библиотеки',
    'example.form': 'Открой форму обратной связи, заполни её моим текстом и остановись перед отправкой',
    'demo.read': 'Открой example.com и прочитай страницу',
    'demo.click': 'Открой example.com, нажми «Learn more» и прочитай страницу',
    'demo.search': 'Открой wikipedia.org и найди маяк',
    'demo.shot': 'Открой news.ycombinator.com, прокрути вниз и сделай скриншот',
    'mock.think': 'Подумай о лодках',
    'mock.shop': 'Купи чайник',
    'mock.login': 'Войди в почту',
    'mock.steps': 'Сделай много шагов',
    'example.read': 'Прочитай главную страницу новостного сайта и перескажи в пяти строках',
  },
)
