import { wordbook } from '@/i18n'

export const words = wordbook('start', {
  'start.about': 'Pilothouse works in a real browser while you watch, and asks before anything that matters.',
  'start.limits':
    'It never enters passwords, card numbers or codes on its own and cannot solve captchas: it hands control to you instead.',
  'start.no.sample':
    'The sample shop to try things in is not here: the browsers of this server run elsewhere or may not open it.',
  'strip.demo': 'You are in the demo. Connect Claude, GPT, Gemini or a local model to give it real tasks.',
  'strip.connect': 'Connect a model',
  'sample.buy': 'Watch me buy a kettle (nothing is charged)',
  'sample.buy.about': 'A sample shop, a basket, your yes to the sum, an order number: half a minute.',
  'sample.buy.task':
    'Open sample.localhost/en/shop, add the Tide kettle to the basket, place the order and show the table of kettles',
  'sample.table': 'Fill a table with a price list',
  'sample.table.task': 'Open sample.localhost/en/stock and read the table',
  'sample.login': 'Log in for me (you type the password)',
  'sample.login.task': 'Open sample.localhost/en/account and log in',
  'sample.daily': 'Every morning at eight, the prices',
  'sample.daily.name': 'Kettle prices',
  'column.product': 'Product',
  'column.price': 'Price',
  'column.stock': 'In stock',
  'example.compare': 'Compare the prices of three electric kettles under 50 € and put the best in a table',
  'example.find': 'Find the opening hours and address of the nearest public library',
  'example.form': 'Open a contact form, fill it in with my text and stop before sending',
  'example.read': 'Read today’s front page of a news site and sum it up in five lines',
  'demo.read': 'Open example.com and read the page',
  'demo.click': 'Open example.com, click “Learn more” and read the page',
  'demo.search': 'Open wikipedia.org and search for lighthouse',
  'demo.shot': 'Open news.ycombinator.com, scroll down and take a screenshot',
  'mock.think': 'Think about boats',
  'mock.shop': 'Shop for a kettle',
  'mock.login': 'Log in to my mail',
  'mock.steps': 'Take many steps',
})
