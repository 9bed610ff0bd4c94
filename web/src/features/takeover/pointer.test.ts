// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { gatherer } from './pointer'
import type { InputMessage, MouseMessage } from './protocol'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const move = (x: number): MouseMessage => ({
  type: 'mouse',
  kind: 'move',
  x,
  y: 0,
  button: -1,
  clicks: 0,
  modifiers: 0,
})
const turn = (dy: number) => ({ type: 'wheel' as const, x: 1, y: 1, dx: 0, dy })

test('of many moves the last one is sent, at most thirty times a second', () => {
  const sent: InputMessage[] = []
  const sender = gatherer((message) => sent.push(message))
  for (let x = 0; x < 100; x += 1) sender.move(move(x))
  expect(sent).toEqual([])
  vi.advanceTimersByTime(40)
  expect(sent).toEqual([move(99)])
})

test('wheel turns add up', () => {
  const sent: InputMessage[] = []
  const sender = gatherer((message) => sent.push(message))
  sender.wheel(turn(100))
  sender.wheel(turn(20))
  vi.advanceTimersByTime(40)
  expect(sent).toEqual([turn(120)])
})

test('a press comes after the move that led to it', () => {
  const sent: InputMessage[] = []
  const sender = gatherer((message) => sent.push(message))
  sender.move(move(7))
  sender.now({ ...move(7), kind: 'down' })
  expect(sent.map((message) => 'kind' in message && message.kind)).toEqual(['move', 'down'])
  vi.advanceTimersByTime(40)
  expect(sent).toHaveLength(2)
})
