import { wordbook } from '@/i18n'

export const words = wordbook('knowledge', {
  'knowledge.about':
    'What the agent reads of you before it works. It allows nothing: limits are settings and permissions, whatever stands here.',
  'knowledge.instructions': 'Instructions for all sessions',
  'knowledge.session': 'Instructions of this session',
  'knowledge.session.about':
    'The model reads them in this session, together with those for all sessions. What it may do is set in:',
  'knowledge.session.label': 'Instructions',
  'knowledge.save': 'Save instructions',
  'knowledge.saved': 'Instructions saved',
  'knowledge.notes': 'Notes on sites',
  'knowledge.notes.about':
    'Short facts that the agent reads when a page of that site is open. A note that is not used for 180 days is dropped, unless it is pinned.',
  'knowledge.search': 'Search notes',
  'knowledge.none': 'No notes yet.',
  'knowledge.none.found': 'No note matches.',
  'knowledge.failed': 'The notes could not be loaded.',
  'knowledge.used': { one: 'used in {n} run', other: 'used in {n} runs' },
  'knowledge.edit': 'Edit note: {text}',
  'knowledge.pin': 'Keep for good: {text}',
  'knowledge.remove': 'Remove note: {text}',
  'knowledge.export': 'Export notes',
  'knowledge.import': 'Import notes',
  'knowledge.import.bad': 'This file has no notes.',
  'knowledge.imported': { one: '{n} note is waiting for you', other: '{n} notes are waiting for you' },
  'knowledge.clear': 'Delete all notes',
  'knowledge.clear.sure': 'Delete all notes? This cannot be undone.',
  'knowledge.clear.do': 'Delete all',
  'knowledge.proposed': 'Remember this?',
  'knowledge.proposed.for': 'Remember this for {site}?',
  'knowledge.keep': 'Remember',
  'knowledge.keep.what': 'Remember: {text}',
  'knowledge.drop': 'Drop',
  'knowledge.drop.what': 'Drop: {text}',
})
