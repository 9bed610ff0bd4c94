import { expect, test } from 'vitest'
import type { Accepted } from '@/api/types'
import { eventsOf, sessionOf } from '@/test/recorded'
import { KEPT_SESSIONS, storeOf } from './store'

test('events that come while the session is read count after the answer, and none after the read has ended', () => {
  const store = storeOf('read').getState()
  const events = eventsOf('shop')
  const half = Math.floor(events.length / 2)
  const failed = store.beginRead()
  store.receive(events.slice(0, half))
  store.endRead(failed)
  const newer = store.beginRead()
  store.receive(events)
  expect(failed).toEqual(events.slice(0, half))
  expect(newer).toEqual(events.slice(half))
  store.load({ ...sessionOf('shop'), run: null, pending: null }, newer)
  expect(storeOf('read').getState().run?.status).toBe('completed')
})

/** As many other sessions are opened and closed as are kept. */
let opened = 0
function openOthers() {
  for (let count = 0; count < KEPT_SESSIONS; count += 1) storeOf(`other-${(opened += 1)}`)
}

test('of the sessions that were closed only the newest stay in memory', () => {
  const old = storeOf('old')
  old.setState({ loaded: true })
  const recent = storeOf('recent')
  openOthers()
  expect(storeOf('old')).not.toBe(old)
  expect(storeOf('old').getState().loaded).toBe(false)
  expect(storeOf('recent')).not.toBe(recent)
})

test('a session that is used stays, however many others are opened', () => {
  const store = storeOf('used')
  for (let count = 0; count < 3 * KEPT_SESSIONS; count += 1) {
    storeOf(`beside-${count}`)
    expect(storeOf('used')).toBe(store)
  }
})

test('a session that is shown stays until it is left', () => {
  const store = storeOf('shown')
  const [leave, leaveToo] = [store.subscribe(() => undefined), store.subscribe(() => undefined)]
  leave()
  leave()
  openOthers()
  expect(storeOf('shown')).toBe(store)
  leaveToo()
  openOthers()
  expect(storeOf('shown')).not.toBe(store)
})

test('a session whose message has not reached the server stays until it has', () => {
  const store = storeOf('unsent')
  store.getState().propose('c1', { text: 'Find the price', mode: null, schema: null })
  openOthers()
  expect(storeOf('unsent')).toBe(store)
  store.getState().reject('c1', 'The server cannot be reached.', false)
  openOthers()
  expect(storeOf('unsent')).toBe(store)
  store.getState().withdraw('c1')
  openOthers()
  expect(storeOf('unsent')).not.toBe(store)
})

test('a session that is being read stays until the answer is there', () => {
  const store = storeOf('reading')
  const newer = store.getState().beginRead()
  openOthers()
  expect(storeOf('reading')).toBe(store)
  store.getState().endRead(newer)
  openOthers()
  expect(storeOf('reading')).not.toBe(store)
})

test('what followed an edited message is gone at once, also if its words are the same', () => {
  const store = storeOf('edited').getState()
  store.load(sessionOf('shop'), [])
  const { ids, rows } = storeOf('edited').getState()
  const row = rows[ids.find((id) => rows[id]?.kind === 'user')!]!
  const message = sessionOf('shop').messages.find(({ seq }) => seq === row.seq)!
  expect(ids.length).toBeGreaterThan(1)
  const run = { ...sessionOf('shop').run!, id: 'again', status: 'queued' as const, started_at: null }
  store.accept({ message: { ...message, run_id: 'again' }, run } as Accepted, true)
  const after = storeOf('edited').getState()
  expect(after.ids).toEqual([row.id])
  // The clock of the new try begins now, not with the message.
  expect(Date.now() - Date.parse(after.run!.startedAt!)).toBeLessThan(60_000)
})

test('a step at work is interrupted when its run turns out to have ended', () => {
  const events = eventsOf('shop')
  const begun = events.findIndex(({ type }) => type === 'tool_start')
  const store = storeOf('killed').getState()
  store.receive(events.slice(0, begun + 1))
  const run = { ...sessionOf('shop').run!, status: 'interrupted' as const }
  store.load(
    { ...sessionOf('shop'), messages: sessionOf('shop').messages.slice(0, 1), run, pending: null },
    [],
  )
  const steps = Object.values(storeOf('killed').getState().rows).filter(({ kind }) => kind === 'tool')
  expect(
    steps.map((step) => [step.kind === 'tool' && step.status, step.kind === 'tool' && step.reason]),
  ).toEqual([['failed', 'interrupted']])
})
