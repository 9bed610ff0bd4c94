import { wordbook } from '@/i18n'

export const words = wordbook('handoff', {
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
})
