// @vitest-environment happy-dom
import { beforeAll, expect, test } from 'vitest'
import type { Effect } from '@/api/types'
import { loadLanguage, translatorOf, wordsOf } from '@/i18n'
import { proofOf } from '@/stream/rows'
import { effectWords, isDoubtful, requestWords } from './Effects'
import { words } from './effectWords'

const order: Effect = {
  method: 'POST',
  host: 'shop.example',
  path: '/orders',
  status: 201,
  outcome: 'accepted',
  times: 1,
  repeated: false,
}
const say = (effect: Effect, lang: 'en' | 'ru' = 'en') =>
  effectWords(effect, translatorOf(lang, wordsOf(words, lang)))

beforeAll(() => loadLanguage('ru'))

test('a request is told in plain words', () => {
  expect(say(order)).toBe('Sent to shop.example')
  expect(say({ ...order, status: 403, outcome: 'refused' })).toBe('Refused by shop.example')
  expect(say({ ...order, status: 403, outcome: 'refused' }, 'ru')).toBe('Отклонено: shop.example')
  expect(say({ ...order, status: null, failure: 'no_answer', outcome: 'unknown' })).toBe(
    'Not known whether it arrived at shop.example · no answer',
  )
  expect(say({ ...order, method: 'GET', status: 200 })).toBe('Opened shop.example')
  expect(requestWords(order)).toBe('POST shop.example/orders — 201')
})

test('a second equal request is marked', () => {
  expect(say({ ...order, times: 2, repeated: true })).toBe(
    'Sent to shop.example · 2 times · the same request as before',
  )
  expect(isDoubtful({ effect: 'accepted', effects: [{ ...order, repeated: true }] })).toBe(true)
  expect(isDoubtful({ effect: 'accepted', effects: [order] })).toBe(false)
  expect(isDoubtful({ effect: 'refused', effects: [] })).toBe(true)
})

test('a step that needed no approval has no proof', () => {
  expect(proofOf({})).toBe(null)
  expect(proofOf({ effect: 'none' })).toEqual({ effect: 'none', effects: [], page_says: null })
})
