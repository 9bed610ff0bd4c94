import { expect, test } from 'vitest'
import { marked, matches, patternsOf, snippetOf } from './match'

test('every word of the query must be there, as the beginning of a word', () => {
  expect(matches('Shop for a blue kettle', patternsOf('ket blu'))).toBe(true)
  expect(matches('Shop for a blue kettle', patternsOf('ettle'))).toBe(false)
  expect(matches('Купи синий чайник', patternsOf('чай'))).toBe(true)
  expect(matches('anything', patternsOf('  '))).toBe(false)
})

test('signs in a query are only signs', () => {
  expect(matches('price (€43.90)', patternsOf('price (43'))).toBe(true)
})

test('a snippet shows what is around the first word, without marks', () => {
  const text = `${'word '.repeat(30)}the **blue** kettle`
  const snippet = snippetOf(text, patternsOf('blue'))
  expect(snippet).toMatch(/^…/)
  expect(snippet).toContain('blue kettle')
})

test('what was looked for is marked where words begin', () => {
  expect(marked('A blue kettle', patternsOf('ket blu'))).toEqual(['A ', 'blu', 'e ', 'ket', 'tle'])
  expect(marked('A blue kettle', patternsOf(''))).toEqual(['A blue kettle'])
})
