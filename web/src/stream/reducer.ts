import type { Message } from '@/api/types'
import { BEHIND, type Draft, drop, finish, fresh, lastNumber, put, reach, settle } from './draft'
import type { EventOf, LiveEvent } from './events'
import type { Live, RunView } from './live'
import { closeQuestion, keepQuestion, openQuestion } from './questions'
import { errorRowId, proofOf, type Row, rowOfActivity, rowOfMessage, type TextRow, toolRowId } from './rows'

/** Pure: the state after these events. Repeats do nothing, and any split of a list of events gives the same. */
export function reduce(state: Live, events: readonly LiveEvent[]): Live {
  const draft: Draft = { ...state, rows: { ...state.rows }, moved: false }
  for (const event of events) if (isNew(draft, event)) apply(draft, event)
  return finish(draft)
}

/** Is it newer than the last event of this state? */
export function isAfter(event: LiveEvent, { epoch, seq }: Live): boolean {
  return event.epoch > epoch || (event.epoch === epoch && event.seq > seq)
}

function isNew(live: Draft, event: LiveEvent): boolean {
  if (event.type === 'resync') {
    live.stale = true
    return false
  }
  if (!isAfter(event, live)) return false
  const follows = event.epoch === live.epoch ? event.seq === live.seq + 1 : event.seq === 1
  if (live.epoch > 0 && !follows) live.stale = true
  live.epoch = event.epoch
  live.seq = event.seq
  return true
}

const REPEATABLE = new Set<LiveEvent['type']>([
  'message',
  'message_removed',
  'activity',
  'run',
  'done',
  'error',
  'decision',
  'state',
])

/** Events that were applied before, on a state that may be older: those that say how things are, not what is added. */
export function reapply(live: Draft, events: readonly LiveEvent[]): void {
  for (const event of events) {
    if (event.type === 'interrupt') keepQuestion(live, event, event.run_id, event.position ?? null)
    else if (REPEATABLE.has(event.type)) apply(live, event)
  }
}

function apply(live: Draft, event: LiveEvent): void {
  switch (event.type) {
    case 'token':
      return addText(live, event)
    case 'thinking':
      return addThinking(live, event)
    case 'tool_start':
      return startTool(live, event)
    case 'tool_end':
      return endTool(live, event)
    case 'message':
      reach(live, event.message.seq)
      return keepMessage(live, event.message)
    case 'message_removed':
      return dropMessage(live, event.message_id)
    case 'activity':
      reach(live, event.activity.position)
      return put(live, rowOfActivity(event.activity))
    case 'run':
      return changeRun(live, event)
    case 'done':
      return endRun(live, event)
    case 'error':
      return failRun(live, event)
    case 'interrupt':
      reach(live, event.position)
      return openQuestion(live, event, event.run_id, event.position ?? null, event.ts)
    case 'decision':
      return closeQuestion(live, event.reference, {
        answer: event.confirmed ? 'yes' : 'no',
        note: event.message,
        outcome: event.outcome,
        at: event.ts,
      })
    case 'state':
      live.work = {
        goal: event.goal,
        plan: event.plan,
        proposed_plan: event.proposed_plan ?? [],
        progress: event.progress,
        facts: event.facts,
      }
      return
    case 'observation':
      live.page = event
      return
    case 'usage':
      live.usage = event.total
  }
}

function dropMessage(live: Draft, messageId: string): void {
  const isIt = (row: Row) => row.kind === 'user' && row.messageId === messageId
  const row = Object.values(live.rows).find(isIt)
  if (row) drop(live, row.id)
}

function stopThinking(live: Draft, at: string): void {
  const last = live.loose.at(-1)
  const row = last === undefined ? undefined : live.rows[last]
  if (row?.kind === 'thinking' && row.endedAt === null) live.rows[row.id] = { ...row, endedAt: at }
}

function addText(live: Draft, event: EventOf<'token'>): void {
  stopThinking(live, event.ts)
  const row = live.rows[event.message_id]
  if (row?.kind === 'text') {
    if (row.live) live.rows[row.id] = { ...row, text: row.text + event.text }
    return
  }
  const text = { live: true, cut: false, meta: {}, text: event.text }
  put(live, { ...fresh(live, event), ...text, kind: 'text', id: event.message_id })
}

function addThinking(live: Draft, event: EventOf<'thinking'>): void {
  const last = live.loose.at(-1)
  const open = last === undefined ? undefined : live.rows[last]
  if (open?.kind === 'thinking' && open.endedAt === null && open.runId === event.run_id) {
    live.rows[open.id] = { ...open, text: open.text + event.text }
    return
  }
  const stored = storedThoughts(event.message_id)
  if (live.rows[stored]) drop(live, stored)
  const id = `think:${event.epoch}-${event.seq}`
  put(live, { ...fresh(live, event), kind: 'thinking', id, text: event.text, endedAt: null, ms: null })
  live.loose = [...live.loose, id]
}

function startTool(live: Draft, event: EventOf<'tool_start'>): void {
  stopThinking(live, event.ts)
  reach(live, event.position)
  const id = toolRowId(event.run_id, event.call_id)
  if (!live.rows[id]) {
    const facts = { url: null, screenshot: null, box: null, reason: null, result: null, proof: null }
    const unknown = { summary: '', parts: null, title: null, durationMs: null, ...facts }
    const { name, args } = event
    const placed = { ...fresh(live, event), seq: event.position ?? null }
    put(live, { ...placed, ...unknown, kind: 'tool', id, name, args, status: 'running' })
  }
  settle(live, event.run_id)
}

function endTool(live: Draft, event: EventOf<'tool_end'>): void {
  const row = live.rows[toolRowId(event.run_id, event.call_id)]
  if (row?.kind !== 'tool' || row.status !== 'running') return
  live.rows[row.id] = {
    ...row,
    status: event.ok ? 'ok' : 'failed',
    summary: event.summary,
    parts: event.summary_parts ?? null,
    durationMs: event.duration_ms,
    url: event.url ?? null,
    title: event.title ?? null,
    screenshot: event.screenshot ?? null,
    reason: event.reason ?? null,
    proof: proofOf(event),
  }
  live.moved = true
}

export function keepMessage(live: Draft, message: Message): void {
  const row = rowOfMessage(message)
  const old = live.rows[row.id]
  if (row.kind === 'user') forgetAfterEdit(live, row, old)
  if (row.kind === 'user') forgetRetried(live, row, old)
  if (row.kind === 'text') settle(live, row.runId)
  put(live, row)
  if (row.kind === 'text') showThoughts(live, row)
}

/** The stored thoughts of an answer, unless the stream has sent them piece by piece. */
function showThoughts(live: Draft, answer: TextRow): void {
  const { thinking: text, thinking_ms: ms } = answer.meta
  if (typeof text !== 'string') return
  const isShown = Object.values(live.rows).some(
    (row) => row.kind === 'thinking' && row.runId === answer.runId,
  )
  if (isShown) return
  const placed = { runId: answer.runId, seq: null, born: 0, after: (answer.seq ?? 0) - BEHIND, at: null }
  put(live, {
    ...placed,
    kind: 'thinking',
    id: storedThoughts(answer.id),
    text,
    endedAt: answer.at,
    ms: typeof ms === 'number' ? ms : null,
  })
}

export const STORED_THOUGHTS = 'thoughts:'
const storedThoughts = (messageId: string) => `${STORED_THOUGHTS}${messageId}`

/** A user message that comes again with other words was edited: what followed it is gone. */
function forgetAfterEdit(live: Draft, row: Row & { kind: 'user' }, old: Row | undefined): void {
  if (old?.kind !== 'user' || old.messageId !== row.messageId || old.text === row.text || row.seq === null)
    return
  if (old.mode === 'queue') return
  dropFollowing(live, row.seq, null)
}

/** Drops what stands behind a number, but for the rows of a run and messages on their way. */
export function dropFollowing(live: Draft, seq: number, runId: string | null): void {
  for (const other of Object.values(live.rows)) {
    const follows = other.seq === null ? other.kind !== 'user' : other.seq > seq
    if (follows && (runId === null || other.runId !== runId)) drop(live, other.id)
  }
}

/** A user message that has a new run was tried again: a run before it of which nothing is kept did not fail either. */
function forgetRetried(live: Draft, row: Row & { kind: 'user' }, old: Row | undefined): void {
  const before = old?.runId
  if (!before || before === row.runId || !live.rows[errorRowId(before)]) return
  const isKept = Object.values(live.rows).some(
    ({ id, kind, runId, seq }) => id !== row.id && kind !== 'error' && runId === before && seq !== null,
  )
  if (!isKept) drop(live, errorRowId(before))
}

export function newRun(id: string): RunView {
  const unknown = {
    agent: null,
    model: null,
    step: null,
    maxSteps: null,
    note: null,
    noteParts: null,
    queuePlace: null,
  }
  return { id, status: 'running', startedAt: null, finishedAt: null, ...unknown }
}

const viewOf = (live: Draft, runId: string) => (live.run?.id === runId ? live.run : newRun(runId))

function changeRun(live: Draft, event: EventOf<'run'>): void {
  const run = viewOf(live, event.run_id)
  if (live.run !== null && live.run.id !== run.id) live.usage = null
  live.run = {
    ...run,
    status: event.status,
    agent: event.agent,
    model: event.model,
    step: event.step,
    maxSteps: event.max_steps,
    note: event.note ?? null,
    noteParts: event.note_parts ?? null,
    queuePlace: event.queue_place ?? null,
    startedAt: run.startedAt ?? event.ts,
    finishedAt: null,
  }
  if (live.rows[errorRowId(event.run_id)]) drop(live, errorRowId(event.run_id))
}

function endRun(live: Draft, event: EventOf<'done'>): void {
  keepMessage(live, event.message)
  live.usage = event.usage
  closeRun(live, event, 'completed')
}

function failRun(live: Draft, event: EventOf<'error'>): void {
  const { code, message: text, message_parts: parts = null } = event
  reach(live, event.position)
  const placed = { ...fresh(live, event), seq: event.position ?? null }
  put(live, { ...placed, kind: 'error', id: errorRowId(event.run_id), code, text, parts })
  closeRun(live, event, code === 'cancelled' ? 'cancelled' : 'failed')
}

function closeRun(live: Draft, event: LiveEvent, status: RunView['status']): void {
  stopThinking(live, event.ts)
  live.loose = []
  live.run = {
    ...viewOf(live, event.run_id),
    status,
    note: null,
    noteParts: null,
    queuePlace: null,
    finishedAt: event.ts,
  }
  live.pending = null
  for (const row of Object.values(live.rows)) {
    if (row.runId !== event.run_id) continue
    if (row.kind === 'text' && row.live)
      live.rows[row.id] = { ...row, live: false, cut: true, after: lastNumber(live) - BEHIND }
    if (row.kind === 'tool' && row.status === 'running') live.rows[row.id] = { ...row, status: 'failed' }
    if (row.kind === 'question' && row.answer === 'open') live.rows[row.id] = { ...row, answer: 'void' }
  }
  live.moved = true
}
