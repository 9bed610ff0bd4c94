// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { loadLanguage } from '@/i18n'
import type { Message } from '@/api/types'
import { usePrefs } from '@/lib/prefs'
import { rowOfMessage } from '@/stream/rows'
import { marked, matches, patternsOf, shownOf, snippetOf, textOf } from './match'

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

test('a step is found by what is stored of it, and shown in the language of the page', async () => {
  await loadLanguage('ru')
  usePrefs.getState().set({ lang: 'ru' })
  const role = [{ code: 'role.button', values: {} }]
  const target = [{ code: 'element.named', values: { role, name: 'Send' } }]
  const meta = { summary_parts: [{ code: 'did.clicked', values: { target } }] }
  const row = rowOfMessage({
    role: 'tool',
    content: 'Clicked button "Send".',
    meta_json: meta,
  } as unknown as Message)
  expect(matches(textOf(row), patternsOf('clicked'))).toBe(true)
  expect(snippetOf(shownOf(row), patternsOf('clicked'))).toBe('Нажато: кнопка «Send».')
  usePrefs.getState().set({ lang: 'en' })
  expect(shownOf(row)).toContain('Clicked button')
})

test('a snippet begins with a word and ends with a whole character', () => {
  const text = `${'🧑‍🌾'.repeat(20)} the blue ${'👩‍👩‍👧'.repeat(40)}`
  const shown = snippetOf(text, patternsOf('blue'))
  expect(shown).toMatch(/^…the blue (👩‍👩‍👧)+$/u)
  expect(shown.length).toBeLessThanOrEqual(121)
})
