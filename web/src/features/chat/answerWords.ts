import { wordbook } from '@/i18n'

export const words = wordbook('answer', {
  'cut.length': 'Cut off at the length limit',
  'cut.stream': 'Cut off: the connection to the model broke',
  continues: 'Goes on from the cut answer above',
  unfinished: 'Unfinished: the run ended here, so this text was not saved.',
  without_browser: 'Answered without the browser',
  chips: 'What came of it',
  'chip.save': 'Save {name}',
  'chip.table': { one: 'Table, {n} row', other: 'Table, {n} rows' },
})
