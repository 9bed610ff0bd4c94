import { expect, test } from 'vitest'
import type { Message } from '@/api/types'
import type { LiveEvent } from './events'
import { EMPTY } from './live'
import { reduce } from './reducer'

const stamp = { session_id: 's', run_id: 'r', ts: '2026-01-01T00:00:00Z' }
const at = (seq: number, fields: object, epoch = 1) => ({ ...stamp, epoch, seq, ...fields }) as LiveEvent
const user = (seq: number, id: string, content: string, run = 'r'): Message => ({
  id,
  session_id: 's',
  run_id: run,
  seq,
  role: 'user',
  content,
  client_id: null,
  created_at: stamp.ts,
})

test('a word to a run stands below the step that was running, and stays where the agent read it', () => {
  const steer = { ...user(3, 'u2', 'only red ones'), meta_json: { mode: 'steer' as const } }
  const read = { ...steer, seq: 4, meta_json: { mode: 'steer' as const, heard: true } }
  const events = [
    at(1, { type: 'message', message: user(1, 'u1', 'go') }),
    at(2, { type: 'tool_start', call_id: 'a', name: 'click', args: {}, position: 2 }),
    at(3, { type: 'message', message: steer }),
    at(4, { type: 'tool_end', call_id: 'a', name: 'click', ok: true, summary: '', duration_ms: 1 }),
  ]
  const unread = reduce(EMPTY, events)
  expect(unread.ids).toEqual(['u1', 'tool:r:a', 'u2'])
  const next = { type: 'tool_start', call_id: 'b', name: 'click', args: {}, position: 5 }
  const live = reduce(unread, [at(5, { type: 'message', message: read }), at(6, next)])
  expect(live.ids).toEqual(['u1', 'tool:r:a', 'u2', 'tool:r:b'])
  expect(live.rows.u2).toMatchObject({ isRead: true })
})

test('a denied question stays before what came after it, with its note', () => {
  const live = reduce(EMPTY, [
    at(1, { type: 'message', message: user(1, 'u1', 'go') }),
    at(2, { type: 'interrupt', reference: 'q', kind: 'confirm', reason: 'pays', position: 2 }),
    at(3, { type: 'decision', reference: 'q', confirmed: false, message: 'the red one' }),
    at(4, { type: 'error', code: 'timeout', message: 'Too slow.', position: 3 }),
    at(1, { type: 'message', message: user(4, 'u2', 'again', 'r2') }, 2),
  ])
  expect(live.ids).toEqual(['u1', 'question:q', 'error:r', 'u2'])
  expect(live.rows['question:q']).toMatchObject({ answer: 'no', note: 'the red one' })
})

test('a queued message stands at the end until it is taken, and is gone when it is taken back', () => {
  const queued = { ...user(2, 'u2', 'then this', 'r2'), meta_json: { mode: 'queue' as const } }
  const waiting = reduce(EMPTY, [
    at(1, { type: 'message', message: user(1, 'u1', 'go') }),
    at(2, { type: 'message', message: queued }),
    at(3, { type: 'tool_start', call_id: 'a', name: 'click', args: {}, position: 3 }),
  ])
  expect(waiting.ids).toEqual(['u1', 'tool:r:a', 'u2'])
  const removed = reduce(waiting, [at(4, { type: 'message_removed', message_id: 'u2' })])
  expect(removed.ids).toEqual(['u1', 'tool:r:a'])
  const changed = reduce(waiting, [at(4, { type: 'message', message: { ...queued, content: 'then that' } })])
  expect(changed.ids).toEqual(['u1', 'tool:r:a', 'u2'])
})
