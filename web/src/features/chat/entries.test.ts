import { describe, expect, test } from 'vitest'
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

test('the table of a run stands below its answer, and at its end while there is none', () => {
  const record = (id: string, runId: string | null = 'r') => ({ ...tool(id), runId, result: {} }) as Row
  const of = (row: Row, runId: string | null = 'r') => ({ ...row, runId }) as Row
  const answer = { kind: 'text', id: 'answer', runId: 'r' } as Row
  const steps = [of(user('u')), record('a'), of(tool('b')), record('c'), of(tool('d'))]
  expect(shown(steps, { isBusy: true })).toEqual(['u', 'a', 'b', 'c', 'd', '<a c>'])
  const writing = { ...answer, live: true } as Row
  expect(shown([...steps, writing], { isBusy: true })).toEqual(['u', 'a', 'b', 'c', 'd', 'answer', '<a c>'])
  expect(shown([...steps, answer])).toEqual(['u', '[a b c d]', 'answer', '<a c>'])
  expect(shown([...steps, of(user('steered')), record('e'), answer])).toEqual([
    'u',
    '[a b c d]',
    'steered',
    'e',
    'answer',
    '<a c e>',
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

const answer = (id = 'answer', more = {}) => ({ kind: 'text', id, live: false, ...more }) as Row

test('the answer is last: what led to it folds into one line above it', () => {
  expect(shown([user('u'), tool('a'), thought('t'), tool('b'), asked('q', 'yes'), answer()])).toEqual([
    'u',
    '[a t b q]',
    'answer',
  ])
  expect(shown([user('u'), thought('t'), tool('a'), answer()])).toEqual(['u', '[t a]', 'answer'])
})

test('one step or thoughts alone are one line already', () => {
  expect(shown([user('u'), tool('a'), answer()])).toEqual(['u', 'a', 'answer'])
  expect(shown([user('u'), thought('s'), thought('t'), answer()])).toEqual(['u', 's', 't', 'answer'])
})

test('a refusal and words of the person keep their place in time', () => {
  const rows = [user('u'), tool('a'), tool('b'), asked('q', 'no'), tool('c'), user('steered'), tool('d')]
  expect(shown([...rows, answer()])).toEqual(['u', 'a', 'b', 'q', 'c', 'steered', 'd', 'answer'])
})

test('while the answer is written its steps stay above it, and an answer that was cut folds nothing', () => {
  const rows = [user('u'), tool('a'), tool('b')]
  expect(shown([...rows, answer('answer', { live: true })], { isBusy: true })).toEqual([
    'u',
    'a',
    'b',
    'answer',
  ])
  expect(shown([...rows, answer('answer', { cut: true })])).toEqual(['u', 'a', 'b', 'answer'])
})

test('each answer has its own steps', () => {
  const [one, two] = [answer('one'), answer('two')]
  expect(shown([user('u'), tool('a'), tool('b'), one, tool('c'), tool('d'), two])).toEqual([
    'u',
    '[a b]',
    'one',
    '[c d]',
    'two',
  ])
})

describe('the time of the work', () => {
  const at = (seconds: number) => new Date(1_000_000_000 + 1000 * seconds).toISOString()
  const timed = (row: Row, seconds: number, more = {}) => ({ ...row, at: at(seconds), ...more }) as Row
  const worked = (...rows: Row[]) => {
    const byId = Object.fromEntries(rows.map((row) => [row.id, row]))
    const entries = entriesOf(Object.keys(byId), byId, new Set(), false)
    return entries.find((entry) => entry.kind === 'group')?.worked
  }
  const steps = [timed(tool('a'), 3, { durationMs: 1000 }), timed(tool('b'), 8, { durationMs: 2000 })]

  test('is from the message to the answer', () => {
    expect(worked(timed(user('u'), 0), ...steps, timed(answer(), 12))).toBe(12_000)
  })

  test('is without the time in which a question waited', () => {
    const waited = timed(asked('q', 'yes'), 5, { waitedMs: 4000 })
    expect(worked(timed(user('u'), 0), ...steps, waited, timed(answer(), 12))).toBe(8000)
  })

  test('of a later try begins with its first step', () => {
    expect(worked(timed(user('u'), -3600), ...steps, timed(answer(), 12))).toBe(10_000)
  })

  test('is what the steps took where no time is known', () => {
    expect(worked(user('u'), { ...steps[0]!, at: null }, { ...steps[1]!, at: null }, answer())).toBe(3000)
  })
})
