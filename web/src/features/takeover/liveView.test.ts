// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { KEPT_VIEWS, LiveView, liveViewOf } from './liveView'

class FakeSocket {
  static all: FakeSocket[] = []
  static OPEN = 1
  readyState = 0
  sent: Record<string, unknown>[] = []
  onopen: () => void = () => undefined
  onclose: () => void = () => undefined
  onmessage: (event: { data: string }) => void = () => undefined

  constructor(readonly address: string) {
    FakeSocket.all.push(this)
  }
  open() {
    this.readyState = 1
    this.onopen()
  }
  tell(message: Record<string, unknown>) {
    this.onmessage({ data: JSON.stringify(message) })
  }
  send(data: string) {
    this.sent.push(JSON.parse(data) as Record<string, unknown>)
  }
  close() {
    this.readyState = 3
    this.onclose()
  }
}

const STATE = {
  type: 'state',
  holder: 'none',
  browser: 'open',
  url: '',
  title: '',
  viewport: [1280, 720],
  tabs: [],
}
const latest = () => FakeSocket.all.at(-1)!
const types = (socket: FakeSocket) => socket.sent.map((message) => message.type)

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', FakeSocket)
  FakeSocket.all = []
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('the field with the focus is forgotten when the browser is not held here', () => {
  const view = new LiveView('s 1')
  const stop = view.watch()
  latest().open()
  latest().tell({ ...STATE, holder: 'me' })
  latest().tell({ type: 'field', keyboard: 'numeric', picker: null })
  expect(view.store.getState().field).toEqual({ keyboard: 'numeric', picker: null })
  latest().tell({ ...STATE, holder: 'me', title: 'Next' })
  expect(view.store.getState().field?.keyboard).toBe('numeric')
  latest().tell({ ...STATE, holder: 'none' })
  expect(view.store.getState().field).toBeNull()
  stop()
})

test('what is copied in the page comes each time, also the same text', () => {
  const view = new LiveView('s 1')
  const stop = view.watch()
  latest().open()
  latest().tell({ type: 'copied', text: 'Order-4711' })
  const first = view.store.getState().copied
  expect(first).toEqual({ text: 'Order-4711' })
  latest().tell({ type: 'copied', text: 'Order-4711' })
  expect(view.store.getState().copied).not.toBe(first)
  stop()
})

test('an empty page has no title and no address', () => {
  const view = new LiveView('s 1')
  const stop = view.watch()
  latest().open()
  const blank = { url: 'about:blank', title: 'about:blank' }
  latest().tell({ ...STATE, ...blank, tabs: [{ index: 0, active: true, ...blank }] })
  expect(view.store.getState()).toMatchObject({ url: '', title: '', tabs: [{ url: '', title: '' }] })
  latest().tell({ ...STATE, url: 'https://a.example/', title: 'about:blank' })
  expect(view.store.getState()).toMatchObject({ url: 'https://a.example/', title: '' })
  stop()
})

test('all who watch in a tab share one connection, and the last one closes it', () => {
  const view = new LiveView('s 1')
  const [first, second] = [view.watch(), view.watch()]
  expect(FakeSocket.all).toHaveLength(1)
  expect(latest().address).toMatch(/^ws:.*\/api\/sessions\/s%201\/live$/)
  first()
  expect(latest().readyState).not.toBe(3)
  second()
  expect(latest().readyState).toBe(3)
})

test('who holds the browser says so every ten seconds, also when nobody watches', () => {
  const view = new LiveView('s')
  const leave = view.watch()
  latest().open()
  view.take()
  latest().tell({ ...STATE, holder: 'me' })
  leave()
  vi.advanceTimersByTime(21_000)
  expect(types(latest())).toEqual(['take', 'beat', 'beat'])
  view.release('look at the second row')
  expect(latest().sent.at(-1)).toEqual({ type: 'release', note: 'look at the second row' })
  expect(latest().readyState).toBe(3)
})

test('a lost connection is opened again, and the browser taken again', () => {
  const view = new LiveView('s')
  view.watch()
  latest().open()
  view.take()
  latest().tell({ ...STATE, holder: 'me' })
  latest().close()
  expect(view.store.getState()).toMatchObject({ link: 'lost', holder: 'none' })
  vi.advanceTimersByTime(600)
  expect(FakeSocket.all).toHaveLength(2)
  latest().open()
  expect(types(latest())).toEqual(['take'])
})

test('a browser that another holds is not asked for again and again', () => {
  const view = new LiveView('s')
  view.watch()
  latest().open()
  view.take()
  latest().tell({ type: 'error', code: 'takeover_held', message: 'Another person has the browser.' })
  expect(view.store.getState().fault?.code).toBe('takeover_held')
  latest().close()
  vi.advanceTimersByTime(600)
  latest().open()
  expect(types(latest())).toEqual([])
})

test('a lease that ran out is not taken again without a person', () => {
  const view = new LiveView('s')
  view.watch()
  latest().open()
  view.take()
  latest().tell({ ...STATE, holder: 'me' })
  latest().tell({ ...STATE, holder: 'none' })
  latest().close()
  vi.advanceTimersByTime(600)
  latest().open()
  expect(types(latest())).toEqual([])
})

test('the page gets its own size again before the agent does', () => {
  const view = new LiveView('s')
  view.watch()
  latest().open()
  view.take()
  latest().tell({ ...STATE, holder: 'me' })
  view.fit([360, 640])
  latest().tell({ ...STATE, holder: 'me', viewport: [360, 640] })
  view.release()
  expect(latest().sent.slice(1)).toEqual([
    { type: 'resize', width: 360, height: 640 },
    { type: 'resize', width: 1280, height: 720 },
    { type: 'release' },
  ])
})

let opened = 0
function lookAtOthers() {
  for (let count = 0; count < KEPT_VIEWS; count += 1) liveViewOf(`other-${(opened += 1)}`)
}

test('a view that nobody looks at any more is dropped, the newest excepted', () => {
  const view = liveViewOf('left')
  expect(liveViewOf('left')).toBe(view)
  view.watch()()
  lookAtOthers()
  expect(liveViewOf('left')).not.toBe(view)
})

test('a view that is watched, shown or has the browser is never dropped', () => {
  const [watched, shown, held] = [liveViewOf('watched'), liveViewOf('shown'), liveViewOf('held')]
  const leave = watched.watch()
  const hide = shown.store.subscribe(() => undefined)
  held.take()
  lookAtOthers()
  expect(liveViewOf('watched')).toBe(watched)
  expect(liveViewOf('shown')).toBe(shown)
  expect(liveViewOf('held')).toBe(held)
  leave()
  hide()
  held.release()
  lookAtOthers()
  expect(liveViewOf('watched')).not.toBe(watched)
  expect(liveViewOf('shown')).not.toBe(shown)
  expect(liveViewOf('held')).not.toBe(held)
})
