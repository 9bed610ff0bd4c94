import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type LinkStatus, openLink } from './link'

class FakeSource extends EventTarget {
  static all: FakeSource[] = []
  onopen: (() => void) | null = null
  onerror: ((event: Event) => void) | null = null
  closed = false

  constructor(readonly url: string) {
    super()
    FakeSource.all.push(this)
  }

  close() {
    this.closed = true
  }

  send(type: string, id: string) {
    const event = new MessageEvent(type, { data: '{}', lastEventId: id })
    if (type === 'error') this.onerror?.(event)
    this.dispatchEvent(event)
  }

  fail() {
    this.onerror?.(new Event('error'))
  }
}

const last = () => FakeSource.all.at(-1)!
let statuses: LinkStatus[]
let events: string[]
let answer: number | 'away'

beforeEach(() => {
  vi.useFakeTimers()
  FakeSource.all = []
  statuses = []
  events = []
  answer = 200
  vi.stubGlobal('EventSource', FakeSource)
  vi.stubGlobal('fetch', async () => {
    if (answer === 'away') throw new TypeError('away')
    return new Response(null, { status: answer })
  })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function open() {
  const link = openLink({
    event: (name) => events.push(name),
    status: (status) => statuses.push(status),
  })
  link.watch(['b', 'a'], { a: '3-17', b: null })
  vi.advanceTimersByTime(1)
  last().onopen?.()
  return link
}

test('begins where each session was left', () => {
  open()
  expect(last().url).toBe('/api/stream?sessions=b%2Ca&after=a%2F3-17')
  expect(statuses).toEqual(['live'])
})

test('comes back after the last event seen, later each time', async () => {
  open()
  last().send('token', 'b/1-4')
  const waits: number[] = []
  answer = 'away'
  for (let round = 0; round < 8; round += 1) {
    const before = FakeSource.all.length
    last().fail()
    let waited = 0
    while (FakeSource.all.length === before) {
      await vi.advanceTimersByTimeAsync(50)
      waited += 50
    }
    waits.push(waited)
  }
  expect(last().url).toContain('after=b%2F1-4%2Ca%2F3-17')
  expect(waits[0]).toBeLessThan(800)
  expect(waits.at(-1)).toBeGreaterThan(10_000)
  expect(Math.max(...waits)).toBeLessThan(19_000)
  expect(statuses.filter((status) => status === 'signed-out')).toEqual([])
})

test('gives up when the login is gone', async () => {
  open()
  answer = 401
  last().fail()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(statuses).toEqual(['live', 'lost', 'signed-out'])
  expect(FakeSource.all).toHaveLength(1)
})

test('the error of a run is an event, not the loss of the link', () => {
  open()
  last().send('error', 'b/1-5')
  expect(events).toEqual(['error'])
  expect(statuses).toEqual(['live'])
  expect(last().closed).toBe(false)
})
