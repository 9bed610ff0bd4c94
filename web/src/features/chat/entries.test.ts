import { expect, test } from 'vitest'
import type { Row, ToolRow } from '@/stream/rows'
import { entriesOf } from './entries'

const tool = (id: string, status: ToolRow['status'] = 'ok') => ({ kind: 'tool', id, status }) as Row
const thought = (id: string) => ({ kind: 'thinking', id, endedAt: 'then' }) as Row
const user = (id: string) => ({ kind: 'user', id }) as Row

function shown(rows: Row[], { opened = [] as string[], isBusy = false } = {}): string[] {
  const byId = Object.fromEntries(rows.map((row) => [row.id, row]))
  const entries = entriesOf(
    rows.map((row) => row.id),
    byId,
    new Set(opened),
    isBusy,
  )
  return entries.map((entry) => (entry.kind === 'group' ? `[${entry.ids.join(' ')}]` : entry.id))
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

test('an opened group shows its steps below it', () => {
  expect(shown(many, { opened: ['group:a'] })).toEqual(['[a b c d]', 'a', 'b', 'c', 'd'])
})
