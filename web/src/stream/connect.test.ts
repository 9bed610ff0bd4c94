// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { StreamOut } from './connect'

class FakeSource extends EventTarget {
  static all: FakeSource[] = []
  onopen: (() => void) | null = null
  onerror: ((event: Event) => void) | null = null

  constructor(readonly url: string) {
    super()
    FakeSource.all.push(this)
  }

  close() {}

  tell(name: string, data: object) {
    this.dispatchEvent(
      new MessageEvent(name, { data: JSON.stringify({ session_id: 's', ...data }), lastEventId: '' }),
    )
  }
}

const last = () => FakeSource.all.at(-1)!
const out = { session: vi.fn(), status: vi.fn() } satisfies StreamOut
const token = { type: 'token', run_id: 'r', epoch: 1, seq: 1, ts: '', message_id: 'm', text: 'Wave 1' }
let login: number

beforeEach(() => {
  vi.useFakeTimers()
  vi.resetModules()
  vi.clearAllMocks()
  FakeSource.all = []
  login = 200
  vi.stubGlobal('EventSource', FakeSource)
  vi.stubGlobal('SharedWorker', undefined)
  vi.stubGlobal('fetch', async () => new Response(null, { status: login }))
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** The page is loaded at a session: its stream is opened before anything is drawn. */
async function openedAhead() {
  const connect = await import('./connect')
  const { storeOf } = await import('./store')
  connect.openAhead('s')
  await vi.advanceTimersByTimeAsync(1)
  return {
    ...connect,
    textOf: () => Object.values(storeOf('s').getState().rows).map((row) => 'text' in row && row.text),
  }
}

test('events of the session that a page is opened at come before the page is drawn, over one link', async () => {
  const { startStream, watch, textOf } = await openedAhead()
  expect(last().url).toBe('/api/stream?sessions=s')
  last().onopen?.()
  last().tell('token', token)
  await vi.advanceTimersByTimeAsync(100)
  expect(textOf()).toEqual(['Wave 1'])
  const stop = startStream(out)
  watch('s')
  await vi.advanceTimersByTimeAsync(1)
  expect(FakeSource.all).toHaveLength(1)
  stop()
})

test('what the stream has told about itself and the list is kept until it is read', async () => {
  const { startStream } = await openedAhead()
  last().onopen?.()
  last().tell('session', { status: 'running' })
  const stop = startStream(out)
  expect(out.status).toHaveBeenCalledWith('live', true)
  expect(out.session).toHaveBeenCalledOnce()
  stop()
})

test('a session that is not there does not keep the stream away', async () => {
  const { startStream, dropAhead } = await openedAhead()
  const stop = startStream(out)
  last().onerror?.(new Event('error'))
  await vi.advanceTimersByTimeAsync(1)
  expect(out.status).toHaveBeenLastCalledWith('lost', false)
  dropAhead('s')
  await vi.advanceTimersByTimeAsync(1)
  expect(last().url).toBe('/api/stream')
  stop()
})

test('whoever has to log in first gets a new stream afterwards', async () => {
  const { startStream } = await openedAhead()
  login = 401
  last().onerror?.(new Event('error'))
  await vi.advanceTimersByTimeAsync(1)
  login = 200
  const stop = startStream(out)
  await vi.advanceTimersByTimeAsync(1)
  expect(FakeSource.all).toHaveLength(2)
  expect(last().url).toBe('/api/stream')
  expect(out.status).not.toHaveBeenCalledWith('signed-out', expect.anything())
  stop()
})
