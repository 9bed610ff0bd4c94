// @vitest-environment happy-dom
import { beforeAll, expect, test } from 'vitest'
import type { Pending } from '@/api/types'
import type { QuestionRow } from '@/stream/rows'
import { loadLanguage, translatorOf, wordsOf } from '@/i18n'
import { payloadWords } from './payloadWords'
import { answerWord, payloadOf, titleOf } from './questionWords'
import { titleWords } from './titleWords'

beforeAll(() => loadLanguage('ru'))

const told = (action: Pending['action'], lang: 'en' | 'ru') =>
  payloadOf({ action } as Pending, translatorOf(lang, wordsOf(payloadWords, lang)))

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

test('a question that is closed is named by what was done with it', () => {
  const word = (row: object, question: object) =>
    answerWord({
      outcome: null,
      note: null,
      ...row,
      question: { reason: 'Really?', ...question },
    } as QuestionRow)
  const outcomes = ['yes', 'no', 'replan', 'answered', 'done'] as const
  expect(outcomes.map((outcome) => word({ answer: 'no', outcome }, { kind: 'confirm' }))).toEqual(
    outcomes.map((outcome) => `question.${outcome}`),
  )
  expect(word({ answer: 'void' }, { kind: 'manual', wants: 'answer' })).toBe('question.void')
})

test('until the server reports it, it is named by what was asked and answered', () => {
  const word = (answer: string, question: object, note: string | null = null) =>
    answerWord({ answer, note, outcome: null, question } as QuestionRow)
  expect(word('yes', { kind: 'manual', wants: 'answer', reason: 'Tell me the number.' })).toBe(
    'question.answered',
  )
  expect(word('yes', { kind: 'manual', wants: 'step', reason: 'Could you log in?' })).toBe('question.done')
  expect(word('yes', { kind: 'confirm' })).toBe('question.yes')
  const start = { kind: 'confirm', start: { plan: [], effects: [] } }
  expect([word('no', start, 'shorter'), word('no', start)]).toEqual(['question.replan', 'question.no'])
})

test('a part that has no words keeps its name', () => {
  expect(told({ kind: 'scroll', amount: 3 }, 'en')).toEqual([['amount', '3']])
})

test('an act that spends is asked about as a sentence with its sum, any other is not', () => {
  const title = (question: Partial<Pending>, lang: 'en' | 'ru') =>
    titleOf(question as Pending, translatorOf(lang, wordsOf(titleWords, lang)))
  const order = { risk: 'order', amount: '43.90 EUR', url: 'https://shop.example/basket' } as const
  expect(title(order, 'en')).toBe('Place the order for 43.90 EUR at shop.example?')
  expect(title({ ...order, risk: 'pay' }, 'ru')).toBe('Заплатить 43.90 EUR на shop.example?')
  expect(title({ ...order, risk: 'delete' }, 'en')).toBeNull()
  expect(title({ ...order, amount: null }, 'en')).toBeNull()
})
