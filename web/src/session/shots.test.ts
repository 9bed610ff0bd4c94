import { expect, test } from 'vitest'
import { hydrate } from '@/stream/hydrate'
import { EMPTY } from '@/stream/live'
import { reduce } from '@/stream/reducer'
import { eventsOf, sessionOf } from '@/test/recorded'
import { isTwofold, sceneOf, shotsOf } from './shots'

const live = reduce(EMPTY, eventsOf('shop'))
const shots = shotsOf(live.ids, live.rows)

test('steps and questions follow each other as they happened', () => {
  expect(shots.map(({ row }) => (row.kind === 'tool' ? row.name : row.question.kind))).toEqual([
    'navigate',
    'click',
    'click',
    'confirm',
    'click',
  ])
  expect(shots.map(({ mark }) => mark)).toEqual([null, null, null, 'approval', null])
})

test('an aim is drawn on the page it was taken at, the result without it', () => {
  const [opened, clicked] = shots
  expect(isTwofold(clicked!)).toBe(true)
  expect(sceneOf(clicked!, 'aim')).toEqual({ picture: opened!.picture, box: clicked!.aim!.box })
  expect(sceneOf(clicked!, 'result')).toEqual({ picture: clicked!.picture, box: null })
  expect(isTwofold(opened!)).toBe(false)
})

test('a reload keeps the steps and the questions', () => {
  const stored = hydrate(EMPTY, sessionOf('shop'))
  const pictures = shotsOf(stored.ids, stored.rows).map(({ picture }) => picture)
  expect(pictures).toEqual(shots.map(({ picture }) => picture))
})

test('a step without a picture shows the last one before it, and that it failed', () => {
  const failed = {
    ...live.rows[live.ids.find((id) => id.startsWith('tool:'))!]!,
    id: 'tool:x',
    status: 'failed',
    screenshot: null,
  }
  const rows = { ...live.rows, 'tool:x': failed as (typeof live.rows)[string] }
  const last = shotsOf([...live.ids, 'tool:x'], rows).at(-1)!
  expect(last).toMatchObject({ mark: 'failed', picture: shots.at(-1)!.picture, aim: null })
})
