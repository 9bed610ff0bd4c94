// @vitest-environment happy-dom
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { words as stage } from '@/features/takeover/stageWords'
import { LANGUAGES, type Lang } from '@/lib/prefs'
import { en, type Plural } from './en'
import { loadLanguage, translatorOf, wordbook, type Words, wordsOf } from './index'

const holes = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort()
const forms = (entry: string | Plural) => (typeof entry === 'string' ? [entry] : Object.values(entry))

/** Every book of the page, also those of a single component, as the code has it. */
const sources = import.meta.glob<string>(['../**/*.{ts,tsx}', '!../**/*.test.*'], {
  query: '?raw',
  import: 'default',
  eager: true,
})
const books = Object.values(sources).flatMap((source) =>
  [...source.matchAll(/ wordbook\(\s*'(\w+)',\s*(\{.*?\}),?\s*\)\n/gs)].map(([, name, object]) =>
    wordbook(name!, new Function(`return ${object}`)() as Words),
  ),
)
books.push(wordbook('page', en))
const others = Object.keys(LANGUAGES).filter((lang) => lang !== 'en') as Lang[]
const dictionaries = import.meta.glob<Record<string, Words>>('../../../wording/web/*.json', {
  import: 'default',
  eager: true,
})
const dictionaryOf = (lang: Lang) => dictionaries[`../../../wording/web/${lang}.json`]!

test('each language of the catalogue can be chosen', () => {
  const stored = (folder: string) =>
    readdirSync(`../wording/${folder}`).flatMap((file) => (file.endsWith('.json') ? file.slice(0, -5) : []))
  expect(stored('web').sort()).toEqual([...others].sort())
  expect(stored('sentences').sort()).toEqual(Object.keys(LANGUAGES).sort())
})

test.each(others)('%s has the same books with the same keys', (lang) => {
  const dictionary = dictionaryOf(lang)
  expect(books.length).toBeGreaterThan(30)
  expect(Object.keys(dictionary).sort()).toEqual(books.map(({ name }) => name).sort())
  for (const book of books)
    expect(Object.keys(dictionary[book.name]!).sort(), book.name).toEqual(Object.keys(book.en).sort())
})

test.each(others)('%s has the same holes, and forms for each number', (lang) => {
  const needed = new Intl.PluralRules(lang).resolvedOptions().pluralCategories
  for (const book of books)
    for (const [key, entry] of Object.entries(book.en)) {
      const wanted = holes(forms(entry).at(-1)!)
      const other = dictionaryOf(lang)[book.name]![key]!
      const isOnlyOne = (text: string) => lang !== 'ru' && typeof other === 'object' && text === other.one
      for (const text of forms(other).filter((text) => !isOnlyOne(text)))
        expect(holes(text), key).toEqual(wanted)
      for (const text of [...forms(entry), ...forms(other)])
        expect(wanted, key).toEqual(expect.arrayContaining(holes(text)))
      expect(typeof other, key).toBe(typeof entry)
      if (typeof other === 'object') expect(Object.keys(other).sort(), key).toEqual([...needed].sort())
    }
})

test('every act has words for the moment at which it is done', () => {
  const acts = Object.keys(en).flatMap((key) => (key.startsWith('do.') ? key.slice(3) : []))
  const doing = Object.keys(stage.en).flatMap((key) => (key.startsWith('doing.') ? key.slice(6) : []))
  expect(doing.sort()).toEqual(acts.filter((act) => act !== 'secondModel').sort())
})

test('a key without words is shown as it is, not an error of the page', () => {
  expect(translatorOf('en')('no.such.key')).toBe('no.such.key')
})

test('a language that is not loaded yet is shown in English', () => {
  expect(wordsOf(stage, 'ru')['stage.sheet']).toBe('The browser')
})

test('a language that is loaded is used for the words of the page and of its parts', async () => {
  await loadLanguage('de')
  expect(translatorOf('de', wordsOf(stage, 'de'))('stage.sheet')).toBe('Der Browser')
  expect(translatorOf('de')('settings')).toBe('Einstellungen')
})

test('the agent and the task have one name each', () => {
  const alien = { ru: /ассистент|помощник|задани[еяюй]/i, de: /assistent|aufträge|auftrag\b|\bdu\b|\bdein/i }
  for (const lang of others) {
    const { page: _, ...parts } = dictionaryOf(lang)
    const texts = Object.values(parts).flatMap((words) => Object.values(words).flatMap(forms))
    expect(texts.length).toBeGreaterThan(100)
    expect(texts.filter((text) => alien[lang as 'ru' | 'de'].test(text))).toEqual([])
  }
})

test('Russian counts rightly', () => {
  const steps = { one: '{n} шаг', few: '{n} шага', many: '{n} шагов', other: '{n} шага' }
  const t = translatorOf('ru', { steps })
  expect([1, 2, 5, 11, 21, 22].map((n) => t('steps', { n }))).toEqual([
    '1 шаг',
    '2 шага',
    '5 шагов',
    '11 шагов',
    '21 шаг',
    '22 шага',
  ])
})
