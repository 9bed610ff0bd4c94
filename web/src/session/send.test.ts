import { afterEach, expect, test, vi } from 'vitest'
import { storeOf } from '@/stream/store'
import { sendMessage, sendWaiting } from './send'

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
