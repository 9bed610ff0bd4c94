import { describe, expect, test } from 'vitest'
import type { Message, SessionDetail } from '@/api/types'
import { eventsOf, RECORDED, sessionOf } from '@/test/recorded'
import type { EventOf, LiveEvent } from './events'
import { hydrate } from './hydrate'
import { EMPTY, isOpen, type Live, NO_WORK } from './live'
import { reduce } from './reducer'
import type { Row } from './rows'

/** What a person sees of the feed, in order. */
function seen(live: Live): unknown[] {
  return live.ids.map((id) => look(live.rows[id]!))
}

function look(row: Row): unknown {
  if (row.kind === 'thinking') return { kind: row.kind, text: row.text, isOver: row.endedAt !== null }
  const { seq: _, born: __, after: ___, at: ____, ...rest } = row
  return 'waitedMs' in rest ? { ...rest, waitedMs: rest.waitedMs > 0 } : rest
}

function split<T>(items: T[], seed: number): T[][] {
  const parts: T[][] = [[]]
  let noise = seed
  for (const item of items) {
    noise = (noise * 1103515245 + 12345) % 2147483648
    if (noise % 3 === 0) parts.push([])
    parts.at(-1)!.push(item)
  }
  return parts
}

/** What GET would have answered after the first `count` events. */
function sessionAfter(name: string, count: number): SessionDetail {
  const before = eventsOf(name).slice(0, count)
  const end = sessionOf(name)
  const isDone = before.some((event) => event.type === 'done' || event.type === 'error')
  if (isDone) return end
  const messages = before
    .filter((event): event is EventOf<'message'> => event.type === 'message')
    .map((event) => event.message as Message)
  const asked = before.findLast((event) => event.type === 'interrupt' || event.type === 'decision')
  const wasTold = (type: LiveEvent['type'], reference: string) =>
    before.some((event) => event.type === type && 'reference' in event && event.reference === reference)
  const interrupts = end.interrupts
    .filter((question) => wasTold('interrupt', question.reference))
    .map((question) =>
      wasTold('decision', question.reference)
        ? question
        : { ...question, status: 'open' as const, confirmed: null, decided_at: null },
    )
  const run = { ...end.run!, status: 'running' as const, error: null, error_code: null, finished_at: null }
  const pending = asked?.type === 'interrupt' ? { ...asked, position: asked.position ?? 0 } : null
  return { ...end, messages, run, pending, interrupts, errors: [], state: NO_WORK }
}

test('a session that is read while its run goes on keeps the tokens that the stream has counted', () => {
  const events = eventsOf('shop')
  const count = events.findIndex((event) => event.type === 'usage') + 1
  const live = reduce(EMPTY, events.slice(0, count))
  const read = sessionAfter('shop', count)
  const usage = { ...read.run!.usage!, input_tokens: 0, output_tokens: 0, model_calls: 0 }
  expect(live.usage!.model_calls).toBe(1)
  expect(hydrate(live, { ...read, run: { ...read.run!, usage } }).usage).toEqual(live.usage)
})

describe.each(RECORDED)('the recorded run %s', (name) => {
  const events = eventsOf(name)
  const live = reduce(EMPTY, events)

  test('gives the same state however its events are split', () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const state = split(events, seed).reduce(reduce, EMPTY)
      expect(state).toEqual(live)
    }
  })

  test('is not changed by repeated events', () => {
    expect(reduce(live, events)).toEqual(live)
    const doubled = events.flatMap((event, index) => [event, ...events.slice(0, index)])
    expect(reduce(EMPTY, doubled)).toEqual(live)
  })

  test('shows after a reload what the stream showed', () => {
    const stored = ['user', 'text', 'tool', 'thinking', 'error']
    const isStored = (row: unknown) => {
      const { kind, cut } = row as { kind: string; cut?: boolean }
      return stored.includes(kind) && !cut
    }
    const reloaded = hydrate(EMPTY, sessionOf(name))
    expect(seen(reloaded).filter(isStored)).toEqual(seen(live).filter(isStored))
  })

  test('shows the same when it is reloaded at any moment and replayed', () => {
    for (let count = 0; count <= events.length; count += 1) {
      const reloaded = hydrate(EMPTY, sessionAfter(name, count))
      expect(seen(reduce(reloaded, events))).toEqual(seen(live))
    }
  })

  test('shows the same when the session is read again in its midst', () => {
    for (let count = 0; count <= events.length; count += 1) {
      const begun = reduce(EMPTY, events.slice(0, count))
      const again = hydrate(begun, sessionAfter(name, count))
      expect(seen(again)).toEqual(seen(begun))
      expect(seen(reduce(again, events.slice(count)))).toEqual(seen(live))
    }
  })

  test('stays as it is when an answer comes late that is older than the stream', () => {
    const moments = events.flatMap((event, index) => (event.type === 'token' ? [] : [index + 1]))
    for (const asked of moments) {
      for (const now of moments.filter((moment) => moment > asked)) {
        const begun = reduce(EMPTY, events.slice(0, now))
        const again = hydrate(begun, sessionAfter(name, asked), events.slice(asked, now))
        expect(seen(again)).toEqual(seen(begun))
        expect(again.pending).toEqual(begun.pending)
        expect(isOpen(again.run)).toBe(isOpen(begun.run))
      }
    }
  })

  test('ends with nothing left open', () => {
    expect(isOpen(live.run)).toBe(false)
    expect(live.pending).toBeNull()
    const rows = Object.values(live.rows)
    expect(rows.filter((row) => row.kind === 'tool' && row.status === 'running')).toEqual([])
    expect(rows.filter((row) => row.kind === 'text' && row.live)).toEqual([])
  })
})

const stamp = { session_id: 's', run_id: 'r', ts: '2026-01-01T00:00:00Z' }
const at = (seq: number, fields: object, epoch = 1) => ({ ...stamp, epoch, seq, ...fields }) as LiveEvent
const say = (seq: number, text: string) => at(seq, { type: 'token', message_id: 'm', text })
const start = (seq: number, id: string) =>
  at(seq, { type: 'tool_start', call_id: id, name: 'click', args: {} })
const think = (seq: number, text: string) => at(seq, { type: 'thinking', message_id: 'm', text })
const kinds = (live: Live) => live.ids.map((id) => live.rows[id]!.kind)

test('a kept answer tells how long its thoughts took', () => {
  const meta_json = { thinking: 'hm', thinking_ms: 4200 }
  const answer = {
    id: 'm',
    run_id: 'r',
    seq: 2,
    role: 'assistant',
    content: 'Yes.',
    meta_json,
    created_at: stamp.ts,
  }
  const live = reduce(EMPTY, [at(1, { type: 'message', message: answer })])
  expect(live.ids.map((id) => live.rows[id])).toMatchObject([
    { kind: 'thinking', ms: 4200 },
    { kind: 'text' },
  ])
})

test('the text of a running answer stays below the steps of its run', () => {
  const live = reduce(EMPTY, [say(1, 'I look.'), start(2, 'a'), say(3, ' Found it.'), start(4, 'b')])
  expect(kinds(live)).toEqual(['tool', 'tool', 'text'])
  expect(live.rows.m).toMatchObject({ text: 'I look. Found it.' })
})

test('thinking keeps its place before the step it led to', () => {
  const live = reduce(EMPTY, [
    think(1, 'one'),
    start(2, 'a'),
    think(3, 'two'),
    start(4, 'b'),
    think(5, 'three'),
  ])
  expect(kinds(live)).toEqual(['thinking', 'tool', 'thinking', 'tool', 'thinking'])
})

test('only touched rows get a new identity', () => {
  const before = reduce(EMPTY, [start(1, 'a'), say(2, 'x')])
  const after = reduce(before, [say(3, 'y')])
  expect(after.rows['tool:r:a']).toBe(before.rows['tool:r:a'])
  expect(after.rows.m).not.toBe(before.rows.m)
  expect(after.ids).toBe(before.ids)
})

test('a gap in the numbers asks for the session again', () => {
  expect(reduce(EMPTY, [say(1, 'a'), say(2, 'b')]).stale).toBe(false)
  expect(reduce(EMPTY, [say(1, 'a'), say(3, 'b')]).stale).toBe(true)
  expect(reduce(EMPTY, [say(1, 'a'), at(1, { type: 'token', message_id: 'n', text: 'b' }, 2)]).stale).toBe(
    false,
  )
  expect(reduce(EMPTY, [say(1, 'a'), at(2, { type: 'resync' })]).stale).toBe(true)
})

const user = (
  seq: number,
  id: string,
  content: string,
  run = 'r',
  client: string | null = null,
): Message => ({
  id,
  session_id: 's',
  run_id: run,
  seq,
  role: 'user',
  content,
  client_id: client,
  created_at: stamp.ts,
})

test('an edited message takes away what followed it', () => {
  const first = at(1, { type: 'message', message: user(1, 'u', 'old') })
  const edited = at(4, { type: 'message', message: user(1, 'u', 'new') })
  const live = reduce(EMPTY, [first, start(2, 'a'), say(3, 'x'), edited])
  expect(kinds(live)).toEqual(['user'])
  expect(live.rows.u).toMatchObject({ text: 'new' })
})

test('a queued message stands after the answer of the run before it', () => {
  const live = reduce(EMPTY, [
    at(1, { type: 'message', message: user(1, 'u1', 'first', 'r') }),
    say(2, 'answer'),
    at(3, { type: 'message', message: { ...user(2, 'u2', 'second', 'r2'), meta_json: { mode: 'queue' } } }),
    at(4, { type: 'done', usage: {}, message: { ...user(3, 'm', 'answer'), role: 'assistant' } }),
  ])
  expect(live.ids).toEqual(['u1', 'm', 'u2'])
})

test('the place in the queue for a browser is shown as long as the run waits there', () => {
  const run = { type: 'run' as const, agent: 'operator', model: 'm', step: 0, max_steps: 10 }
  const waiting = reduce(EMPTY, [at(1, { ...run, status: 'queued', queue_place: 2 })])
  expect(waiting.run).toMatchObject({ status: 'queued', queuePlace: 2 })
  const working = reduce(waiting, [at(2, { ...run, status: 'running' })])
  expect(working.run).toMatchObject({ status: 'running', queuePlace: null })
})

describe('what is over and was no message', () => {
  const events = eventsOf('shop')
  const session = sessionOf('shop')
  const asked = session.interrupts[0]!

  test('a question keeps its place and its answer over a reload', () => {
    const order = (live: Live) =>
      live.ids.map((id) => live.rows[id]!).filter((row) => row.kind !== 'thinking')
    const kinds = (live: Live) =>
      order(live).map((row) => [row.kind, row.kind === 'question' ? row.answer : ''])
    expect(kinds(hydrate(EMPTY, session))).toEqual(kinds(reduce(EMPTY, events)))
    expect(kinds(hydrate(reduce(EMPTY, events), session))).toEqual(kinds(reduce(EMPTY, events)))
  })

  test('an expired question is told as no longer asked', () => {
    const expired = { ...asked, status: 'expired' as const, confirmed: null }
    const rows = Object.values(hydrate(EMPTY, { ...session, interrupts: [expired] }).rows)
    expect(rows.find((row) => row.kind === 'question')).toMatchObject({ answer: 'void' })
  })

  test('an earlier failure stands at the end of its run, unless nothing of that run is kept', () => {
    const first = {
      ...session.messages[0]!,
      id: 'early',
      seq: -1,
      run_id: 'early',
      client_id: 'early',
      role: 'user' as const,
    }
    const failure = {
      run_id: 'early',
      status: 'failed' as const,
      code: 'timeout',
      message: 'Too slow.',
      message_parts: null,
      finished_at: null,
      position: 0,
    }
    const errors = [failure, { ...failure, run_id: 'forgotten' }]
    const live = hydrate(EMPTY, { ...session, messages: [first, ...session.messages], errors })
    expect(live.rows[live.ids[1]!]).toMatchObject({ kind: 'error', code: 'timeout', runId: 'early' })
    expect(Object.values(live.rows).filter((row) => row.kind === 'error')).toHaveLength(1)
  })

  test('a failure is gone once its message is tried again, unless something of that run is kept', () => {
    const asked = { ...session.messages[0]!, role: 'user' as const, run_id: 'first', client_id: null }
    const failed = {
      run_id: 'first',
      status: 'failed' as const,
      code: 'timeout',
      message: 'Too slow.',
      message_parts: null,
      finished_at: null,
      position: 0,
    }
    const errorsAfterRetry = (messages: typeof session.messages) => {
      const live = hydrate(EMPTY, { ...session, run: null, messages, errors: [failed] })
      const last = { epoch: live.epoch + 1, seq: 1, ts: asked.created_at, session_id: 's', run_id: 'second' }
      const retried = reduce(live, [
        { ...last, type: 'message', message: { ...asked, run_id: 'second' } } as LiveEvent,
      ])
      return Object.values(retried.rows).filter((row) => row.kind === 'error').length
    }
    expect(errorsAfterRetry([asked])).toBe(0)
    expect(
      errorsAfterRetry([asked, { ...asked, id: 'kept', seq: asked.seq + 1, role: 'tool' as const }]),
    ).toBe(1)
  })
})

test('what was done with a question is known after a reload as the server reports it', () => {
  const session = sessionOf('shop')
  const asked = session.interrupts[0]!
  const closed = { ...asked, status: 'decided' as const, confirmed: false, outcome: 'replan' as const }
  const rows = Object.values(hydrate(EMPTY, { ...session, interrupts: [closed] }).rows)
  expect(rows.find((row) => row.kind === 'question')).toMatchObject({ answer: 'no', outcome: 'replan' })
})
