// @vitest-environment happy-dom
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Parts } from '@/api/types'
import { inLanguage, loadSentences } from './sentences'

interface Case {
  text: string
  parts: Parts | null
  de: string
  ru: string
}
/** The same file is read by `tests/unit/test_catalogue.py`. */
const cases = JSON.parse(readFileSync('../tests/texts/sentences.json', 'utf8')) as Case[]

test.each(['de', 'ru'] as const)(
  'a text of the server is put into %s as the server does it',
  async (lang) => {
    await loadSentences(lang)
    expect(cases.length).toBeGreaterThan(8)
    for (const one of cases) expect(inLanguage(one.text, one.parts, lang)).toBe(one[lang])
  },
)

test('in English it stays as it is', async () => {
  await loadSentences('en')
  for (const { text, parts } of cases) expect(inLanguage(text, parts, 'en')).toBe(text)
})
