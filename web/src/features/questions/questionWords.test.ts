// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import type { Pending } from '@/api/types'
import type { QuestionRow } from '@/stream/rows'
import { translatorOf } from '@/i18n'
import { ru } from '@/i18n/ru'
import { payloadWords } from './payloadWords'
import { answerWord, payloadOf, reasonWords } from './questionWords'

const told = (action: Pending['action'], lang: 'en' | 'ru') =>
  payloadOf({ action } as Pending, translatorOf(lang, payloadWords[lang]))

test('the parts of an action are named in words of the page, without JSON', () => {
  const typing = {
    kind: 'type',
    fields: [
      { eid: 'e1', name: 'Name', text: 'Ada' },
      { eid: 'e2', name: 'City', text: 'Riga' },
    ],
    submit: true,
  }
  expect(told(typing, 'en')).toEqual([
    ['“Name”', 'Ada'],
    ['“City”', 'Riga'],
    ['Then presses Enter', 'yes'],
  ])
  expect(told({ ...typing, submit: false, fields: typing.fields.slice(0, 1) }, 'ru')[0]).toEqual([
    'Текст',
    'Ada',
  ])
  expect(told({ kind: 'upload', eid: 'e1', file: 'отчёт.txt' }, 'ru')).toEqual([['Файл', 'отчёт.txt']])
})

test('the reason of the rules is in the language of the page, any other as it came', () => {
  const why = (reason: string) => reasonWords({ risk: 'legal', reason } as Pending, translatorOf('ru', ru))
  expect(why('makes a binding statement')).toBe('даёт обязывающее согласие')
  expect(why('saves or changes something, and its name does not say what')).toMatch(/^сохраняет или меняет/)
  expect(why('I need your yes')).toBe('I need your yes')
})

test('an answer to a question of the agent is no step that was done', () => {
  const closed = (reason: string, kind = 'manual', answer = 'yes') =>
    answerWord({ question: { kind, reason }, answer } as QuestionRow)
  expect(closed('2 elements fit “Log in”. Which one? Answer with its number.')).toBe('question.answered')
  expect(closed('Please log in.')).toBe('question.done')
  expect(closed('Which one?', 'manual', 'void')).toBe('question.void')
  expect(closed('Really?', 'confirm')).toBe('question.yes')
  const start = { kind: 'confirm', reason: '', start: { plan: [], effects: [] } }
  const planned = (note: string | null) =>
    answerWord({ question: start, answer: 'no', note } as unknown as QuestionRow)
  expect([planned('shorter'), planned(null)]).toEqual(['question.replan', 'question.no'])
})

test('a part that has no words keeps its name', () => {
  expect(told({ kind: 'scroll', amount: 3 }, 'en')).toEqual([['amount', '3']])
})
