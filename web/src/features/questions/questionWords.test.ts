// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import type { Pending } from '@/api/types'
import { translatorOf } from '@/i18n'
import { payloadWords } from './payloadWords'
import { payloadOf } from './questionWords'

const told = (action: Pending['action'], lang: 'en' | 'ru') =>
  payloadOf({ action } as Pending, translatorOf(lang, payloadWords[lang]))

test('the parts of an action are named in words of the page, without JSON', () => {
  const typing = {
    kind: 'type',
    fields: [
      { eid: 'e1', text: 'Ada' },
      { eid: 'e2', text: 'Riga' },
    ],
    submit: true,
  }
  expect(told(typing, 'en')).toEqual([
    ['Text', 'Ada\nRiga'],
    ['Then presses Enter', 'yes'],
  ])
  expect(told({ kind: 'upload', eid: 'e1', file: 'отчёт.txt' }, 'ru')).toEqual([['Файл', 'отчёт.txt']])
})

test('a part that has no words keeps its name', () => {
  expect(told({ kind: 'scroll', amount: 3 }, 'en')).toEqual([['amount', '3']])
})
