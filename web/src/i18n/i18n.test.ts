// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { words as stage } from '@/features/takeover/stageWords'
import { en } from './en'
import type { Words } from './dictionary'
import { translatorOf, type Wordbook } from './index'
import { ru } from './ru'

const holes = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort()
const forms = (entry: string | object) => (typeof entry === 'string' ? [entry] : Object.values(entry))

test('both languages have the same keys', () => {
  expect(Object.keys(ru).sort()).toEqual(Object.keys(en).sort())
})

test('both languages have the same holes in their texts', () => {
  for (const key of Object.keys(en) as (keyof typeof en)[]) {
    const wanted = holes(forms(en[key])[0] as string)
    for (const text of [...forms(en[key]), ...forms(ru[key])])
      expect(holes(text as string), key).toEqual(wanted)
  }
})

test('the words of every chunk have the same holes in both languages', () => {
  const books = import.meta.glob<{ words?: Wordbook<Words> }>('../features/*/*Words.ts', { eager: true })
  const found = Object.values(books).flatMap(({ words }) => words ?? [])
  expect(found.length).toBeGreaterThan(0)
  for (const { en, ru } of found) {
    expect(Object.keys(ru).sort()).toEqual(Object.keys(en).sort())
    for (const key of Object.keys(en)) {
      const wanted = holes(forms(en[key]!)[0] as string)
      for (const text of [...forms(en[key]!), ...forms(ru[key]!)])
        expect(holes(text as string), key).toEqual(wanted)
    }
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

test('in Russian the agent and the task have one name each', () => {
  const books = import.meta.glob<{ words?: Wordbook<Words> }>('../{features,session}/**/*Words.ts', {
    eager: true,
  })
  const texts = Object.values(books)
    .flatMap(({ words }) => words ?? [])
    .flatMap(({ ru }) => Object.keys(ru).flatMap((key) => forms(ru[key]!)))
  expect(texts.length).toBeGreaterThan(100)
  expect(texts.filter((text) => /ассистент|помощник|задани[еяюй]/i.test(text as string))).toEqual([])
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
