import { expect, test } from 'vitest'
import type { Row, ToolRow } from '@/stream/rows'
import { addressOf, downloadsOf, stepsBefore } from './downloads'

const step = (summary: string, status: ToolRow['status'] = 'ok') => ({ summary, status })

test('a step names the files that it has brought', () => {
  const said = 'Clicked it. Downloaded report (1).csv (8 bytes) to the files of this session.'
  expect(downloadsOf(step(said))).toEqual([{ name: 'report (1).csv', size: 8 }])
  expect(downloadsOf(step(`${said}\n${said.replace('report (1)', 'b')}`))).toHaveLength(2)
  expect(downloadsOf(step('The download of x was dropped: it is too large.'))).toEqual([])
  expect(downloadsOf(step(said, 'failed'))).toEqual([])
})

test('its address is safe for every name', () => {
  expect(addressOf('s', 'a/b?c.csv')).toBe('/api/sessions/s/files/a%2Fb%3Fc.csv')
})

test('the steps of an answer are those since the message that began its run', () => {
  const rows = Object.fromEntries(
    [
      { id: 'u', kind: 'user', mode: null },
      { id: 'a', kind: 'tool' },
      { id: 'one', kind: 'text' },
      { id: 'v', kind: 'user', mode: null },
      { id: 'b', kind: 'tool' },
      { id: 'said', kind: 'user', mode: 'steer' },
      { id: 'c', kind: 'tool' },
      { id: 'two', kind: 'text' },
    ].map((row) => [row.id, row as Row]),
  )
  const of = (id: string) => stepsBefore(id, Object.keys(rows), rows).map((row) => row.id)
  expect([of('one'), of('two')]).toEqual([['a'], ['b', 'c']])
})
