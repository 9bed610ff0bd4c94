// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { storeOf } from '@/stream/store'
import { isExpected, restoreUnsent, sendMessage, sendWaiting, startSession } from './send'
import { keepUnsent } from './unsent'

beforeEach(() => localStorage.clear())
afterEach(() => vi.unstubAllGlobals())

/** A server that is away until the test says so; keeps what was said to it. */
function awayServer() {
  const server = { isAway: true, said: [] as string[], modes: [] as unknown[], ids: new Set<string>() }
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    const { content, client_id: id, mode } = JSON.parse(body) as Record<string, string>
    server.ids.add(id!)
    if (server.isAway) throw new TypeError('Failed to fetch')
    server.said.push(content!)
    server.modes.push(mode)
    return new Response(JSON.stringify({ detail: 'No.', code: 'no' }), { status: 422 })
  })
  return server
}

const deliveries = (id: string) =>
  Object.values(storeOf(id).getState().rows).map((row) => row.kind === 'user' && row.delivery)

test('what the server could not be reached for waits, and is sent once and in order', async () => {
  const server = awayServer()
  for (const text of ['one', 'two']) sendMessage('away', text, null)
  await expect.poll(() => deliveries('away')).toEqual(['waiting', 'waiting'])
  await sendWaiting()
  expect(server.said).toEqual([])
  expect(deliveries('away')).toEqual(['waiting', 'waiting'])

  server.isAway = false
  await sendWaiting()
  expect(server.said).toEqual(['one', 'two'])
  expect(server.modes).toEqual([undefined, 'queue'])
  expect(server.ids.size).toBe(2)
  // It was refused for what it says: it does not wait for the server any more.
  expect(deliveries('away')).toEqual(['failed', 'failed'])
  await sendWaiting()
  expect(server.said).toEqual(['one', 'two'])
})

const kept = () => Object.keys(localStorage).filter((key) => key.includes('unsent'))

test('what waits is kept for the next page until the server has it', async () => {
  const server = awayServer()
  sendMessage('kept', 'one', 'queue')
  await expect.poll(() => deliveries('kept')).toEqual(['waiting'])
  const [key, message] = [kept()[0]!, localStorage.getItem(kept()[0]!)!]
  server.isAway = false
  await sendWaiting()
  expect(kept()).toEqual([])

  // As a page finds it that was opened again.
  localStorage.setItem(key, message.replaceAll('"kept"', '"anew"'))
  restoreUnsent()
  expect(deliveries('anew')).toEqual(['waiting'])
  await sendWaiting()
  expect(server.said).toEqual(['one', 'one'])
  expect(server.ids.size).toBe(1)
  expect(kept()).toEqual([])
})

test('a session that only this browser knows is kept with its first message', async () => {
  awayServer()
  const id = startSession('hello', { agent: 'operator' })
  await expect.poll(() => deliveries(id)).toEqual(['waiting'])
  const [key, message] = [kept()[0]!, localStorage.getItem(kept()[0]!)!]
  localStorage.setItem(key.replace(/[^.]+$/, 'other-client'), message.replaceAll(id, 'unborn'))
  expect(isExpected('unborn')).toBe(false)
  restoreUnsent()
  expect(isExpected('unborn')).toBe(true)
  expect(deliveries('unborn')).toEqual(['waiting'])
})

test('what was left too long ago becomes a draft and is not sent by itself', async () => {
  const server = awayServer()
  server.isAway = false
  vi.setSystemTime(Date.now() - 13 * 3_600_000)
  keepUnsent('old', { sessionId: 'past', said: { text: 'pay it', mode: null, schema: null }, session: null })
  vi.useRealTimers()
  restoreUnsent()
  await sendWaiting()
  expect(server.said).not.toContain('pay it')
  expect(localStorage.getItem('pilothouse.draft.past')).toBe('pay it')
  expect(kept()).toEqual([])
})
