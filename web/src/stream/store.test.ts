import { expect, test } from 'vitest'
import { eventsOf, sessionOf } from '@/test/recorded'
import { storeOf } from './store'

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
