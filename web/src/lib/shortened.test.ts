import { expect, test } from 'vitest'
import { shortened } from './shortened'

const FAMILY = '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}'

test.each([
  ['a short text', 60, 'a short text'],
  [`${'a'.repeat(59)}\u{1F600} more`, 60, 'a'.repeat(59)],
  [`${'a'.repeat(58)}\u{1F600} more`, 60, `${'a'.repeat(58)}\u{1F600}`],
  [`${'a'.repeat(55)}${FAMILY} more`, 60, 'a'.repeat(55)],
  [`${'a'.repeat(59)}e\u0301e`, 60, 'a'.repeat(59)],
  ['\u{1F1E9}\u{1F1EA}\u{1F1EB}\u{1F1F7}', 6, '\u{1F1E9}\u{1F1EA}'],
  ['\u{1F600}', 1, ''],
])('%s is cut to %i without half a character', (text, length, expected) => {
  expect(shortened(text, length)).toBe(expected)
})
