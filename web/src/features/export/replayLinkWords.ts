import { wordbook } from '@/i18n'

export const words = wordbook('replayLinks', {
  'replays.title': 'Share a replay',
  'replays.about':
    'Whoever has the link sees this session as it is now, without a login: messages, steps, pictures and tables. They cannot change anything, and see no other session and nothing that comes later.',
  'replays.days': 'Valid for',
  'replays.days.1': '1 day',
  'replays.days.n': '{n} days',
  'replays.files': 'Files can be downloaded, too',
  'replays.make': 'Make a link',
  'replays.link': 'Link',
  'replays.once': 'It is shown this once.',
  'replays.until': 'Valid until {time}',
  'replays.with_files': 'with files',
  'replays.end': 'End it',
  'replays.valid': 'Valid links',
  'replays.failed': 'The links could not be loaded.',
})
