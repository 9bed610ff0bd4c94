import { expect, test } from 'vitest'
import type { Row, ToolRow } from '@/stream/rows'
import { type Entry, entriesOf } from './entries'

const tool = (id: string, status: ToolRow['status'] = 'ok') =>
  ({ kind: 'tool', id, status, result: null }) as Row
const thought = (id: string) => ({ kind: 'thinking', id, endedAt: 'then' }) as Row
const user = (id: string) => ({ kind: 'user', id }) as Row

const nameOf = (entry: Entry) =>
  entry.kind === 'row'
    ? entry.id
    : entry.kind === 'group'
      ? `[${entry.ids.join(' ')}]`
      : `<${entry.ids.join(' ')}>`

function shown(rows: Row[], { opened = [] as string[], isBusy = false } = {}): string[] {
  const byId = Object.fromEntries(rows.map((row) => [row.id, row]))
  const entries = entriesOf(
    rows.map((row) => row.id),
    byId,
    new Set(opened),
    isBusy,
  )
  return entries.map(nameOf)
}

const many = ['a', 'b', 'c', 'd'].map((id) => tool(id))

test('fewer than four steps stay as they are', () => {
  expect(shown(many.slice(0, 3))).toEqual(['a', 'b', 'c'])
})

test('four steps in a row fold, with the thoughts between them', () => {
  expect(shown([user('u'), tool('a'), thought('t'), ...many.slice(1), user('v')])).toEqual([
    'u',
    '[a t b c d]',
    'v',
  ])
})

test('the newest two of a run at work stay in sight', () => {
  expect(shown([...many, tool('e'), tool('f')], { isBusy: true })).toEqual(['[a b c d]', 'e', 'f'])
  expect(shown([...many, tool('e'), tool('f', 'running')], { isBusy: true })).toEqual([
    'a',
    'b',
    'c',
    'd',
    'e',
    'f',
  ])
})

const asked = (id: string, answer: string, note: string | null = null, kind = 'confirm') =>
  ({ kind: 'question', id, answer, note, question: { kind } }) as Row

test('steps around an approval fold together with it, and a question that says more stays in sight', () => {
  const around = (question: Row) => shown([...many.slice(0, 2), question, ...many.slice(2)])
  expect(around(asked('q', 'yes'))).toEqual(['[a b q c d]'])
  for (const question of [
    asked('q', 'open'),
    asked('q', 'no'),
    asked('q', 'void'),
    asked('q', 'yes', 'the red one'),
    asked('q', 'yes', null, 'manual'),
  ])
    expect(around(question)).toEqual(['a', 'b', 'q', 'c', 'd'])
})

test('an approval is no step: three steps and one stay as they are', () => {
  expect(shown([...many.slice(0, 2), asked('q', 'yes'), many[2]!])).toEqual(['a', 'b', 'q', 'c'])
})

test('an opened group shows its steps below it', () => {
  expect(shown(many, { opened: ['group:a'] })).toEqual(['[a b c d]', 'a', 'b', 'c', 'd'])
})

test('the table of a run stands behind its answer, and at its end while there is none', () => {
  const record = (id: string, runId: string | null = 'r') => ({ ...tool(id), runId, result: {} }) as Row
  const of = (row: Row, runId: string | null = 'r') => ({ ...row, runId }) as Row
  const answer = { kind: 'text', id: 'answer', runId: 'r' } as Row
  const steps = [of(user('u')), record('a'), of(tool('b')), record('c'), of(tool('d'))]
  expect(shown(steps, { isBusy: true })).toEqual(['u', 'a', 'b', 'c', 'd', '<a c>'])
  expect(shown([...steps, answer])).toEqual(['u', 'answer', '<a c>', '[a b c d]'])
  expect(shown([...steps, of(user('steered')), record('e'), answer])).toEqual([
    'u',
    '[a b c d]',
    'steered',
    'answer',
    '<a c e>',
    'e',
  ])
  expect(shown([record('a'), of(user('v'), 's'), record('b', 's')])).toEqual(['a', '<a>', 'v', 'b', '<b>'])
  expect(shown([record('a', null), of(user('v'), null), record('b', null)])).toEqual([
    'a',
    '<a>',
    'v',
    'b',
    '<b>',
  ])
})

test('the answer stands above the steps that led to it, and what was asked between them keeps its place', () => {
  const answer = { kind: 'text', id: 'answer', live: false } as Row
  const asked = { kind: 'question', id: 'asked' } as Row
  const steps = [tool('a'), asked, tool('b')]
  expect(shown([user('u'), ...steps, answer, user('v')])).toEqual(['u', 'answer', 'a', 'asked', 'b', 'v'])
  expect(shown([user('u'), ...many, answer])).toEqual(['u', 'answer', '[a b c d]'])
})

test('it stands there from its first word', () => {
  const answer = { kind: 'text', id: 'answer', live: true } as Row
  expect(shown([user('u'), tool('a'), answer], { isBusy: true })).toEqual(['u', 'answer', 'a'])
})

test('it never stands above words that were said before it', () => {
  const answer = { kind: 'text', id: 'answer', live: false } as Row
  const rows = [user('u'), tool('a'), user('steered'), tool('b'), answer]
  expect(shown(rows)).toEqual(['u', 'a', 'steered', 'answer', 'b'])
})

test('it does not stand above the steps of an answer before it', () => {
  const answers = ['one', 'two'].map((id) => ({ kind: 'text', id, live: false }) as Row)
  expect(shown([user('u'), tool('a'), answers[0]!, tool('b'), answers[1]!])).toEqual([
    'u',
    'one',
    'a',
    'two',
    'b',
  ])
  expect(shown([user('u'), tool('a'), answers[0]!, answers[1]!])).toEqual(['u', 'one', 'a', 'two'])
})

test('an answer without steps stays behind the thoughts', () => {
  const answer = { kind: 'text', id: 'answer', live: false } as Row
  expect(shown([user('u'), thought('t'), answer])).toEqual(['u', 't', 'answer'])
})
