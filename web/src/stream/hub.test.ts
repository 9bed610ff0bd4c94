import { beforeEach, expect, test, vi } from 'vitest'
import { type FromHub, Hub, type ToHub } from './hub'
import type { Link, LinkOut } from './link'

const link = { watch: vi.fn(), retry: vi.fn(), close: vi.fn() } satisfies Link
let out: LinkOut
let hub: Hub

beforeEach(() => {
  vi.clearAllMocks()
  hub = new Hub((given) => {
    out = given
    return link
  })
})

function join() {
  const tab = {}
  const got: FromHub[] = []
  hub.join(tab, (message) => got.push(message))
  const tell = (message: ToHub) => hub.receive(tab, message)
  const watch = (...sessions: string[]) =>
    tell({ type: 'watch', sessions, from: Object.fromEntries(sessions.map((id) => [id, null])) })
  const names = () => got.flatMap((message) => (message.type === 'event' ? [message.name] : []))
  return { tell, watch, got, names }
}

const about = (session: string) => JSON.stringify({ type: 'token', session_id: session })

test('each tab gets the list of all sessions and the events of what it watches', () => {
  const [a, b] = [join(), join()]
  a.watch('one')
  b.watch('two')
  out.event('token', about('one'))
  out.event('session', about('three'))
  expect(a.names()).toEqual(['token', 'session'])
  expect(b.names()).toEqual(['session'])
})

test('all tabs share one link that follows what any of them watches', () => {
  join().watch('two')
  join().watch('one')
  expect(link.watch).toHaveBeenLastCalledWith(['one', 'two'], { one: null })
})

test('a session left by a tab does not disturb the link', () => {
  const tab = join()
  tab.watch('one')
  tab.tell({ type: 'watch', sessions: [], from: {} })
  expect(link.watch).toHaveBeenCalledTimes(1)
  out.event('token', about('one'))
  expect(tab.names()).toEqual([])
})

test('a lost link comes back without the session that a tab has left: it may have been refused for it', () => {
  const tab = join()
  tab.watch('gone')
  out.status('lost')
  tab.tell({ type: 'watch', sessions: [], from: {} })
  expect(link.watch).toHaveBeenLastCalledWith([], {})
})

test('the link closes with the last tab and opens for the next', () => {
  const [a, b] = [join(), join()]
  a.watch('one')
  b.watch('one')
  a.tell({ type: 'bye' })
  expect(link.close).not.toHaveBeenCalled()
  b.tell({ type: 'bye' })
  expect(link.close).toHaveBeenCalledOnce()
  join().watch('one')
  expect(link.watch).toHaveBeenCalledTimes(3)
})

test('a tab that joins learns the state of the link', () => {
  join().watch('one')
  out.status('lost')
  expect(join().got).toEqual([{ type: 'status', status: 'lost' }])
})

test('a tab that gave no sign for long is forgotten', () => {
  vi.useFakeTimers()
  join().watch('old')
  vi.advanceTimersByTime(200_000)
  join().watch('new')
  expect(link.watch).toHaveBeenLastCalledWith(['new'], { new: null })
  vi.useRealTimers()
})
