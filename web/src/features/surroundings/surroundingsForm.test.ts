import { expect, test } from 'vitest'
import type { Surroundings } from '@/api/types'
import { changeOf, filledOf } from './surroundingsForm'

const proxy = { address: 'http://proxy.example:3128', user: 'ann', has_password: true }
const stored: Surroundings = { time_zone: 'Asia/Tokyo', locale: null, proxy }
const login = { address: proxy.address, user: 'ann', password: null }

test.each([
  ['nothing', {}, {}],
  ['a language', { locale: ' pt-BR ' }, { locale: 'pt-BR' }],
  ['no zone', { zone: '' }, { time_zone: null }],
  ['no proxy', { address: ' ' }, { proxy: null }],
  ['a new password', { password: 'new' }, { proxy: { ...login, password: 'new' } }],
  ['another user', { user: 'eve' }, { proxy: { ...login, user: 'eve' } }],
  ['a password without an address', { address: '', password: 'new' }, { proxy: null }],
])('only what was changed is sent: %s', (_, values, sent) => {
  expect(changeOf({ ...filledOf(stored), ...values }, stored)).toEqual(sent)
})

test('a login without an address is no proxy', () => {
  const none = { time_zone: null, locale: null, proxy: null }
  expect(changeOf({ ...filledOf(none), user: 'ann', password: 'word' }, none)).toEqual({})
})
