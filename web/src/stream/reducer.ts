import type { Message, Pending } from '@/api/types'
import { arrange } from './arrange'
import type { EventOf, LiveEvent } from './events'
import type { Live, RunView } from './live'
import {
  type QuestionRow,
  questionRowId,
  errorRowId,
  type Row,
  rowOfMessage,
  type TextRow,
  toolRowId,
} from './rows'

/** A copy that one fold may change; `moved` says that the order must be computed again. */
export interface Draft extends Live {
  moved: boolean
}

/** Pure: the state after these events. Repeats do nothing, and any split of a list of events gives the same. */
export function reduce(state: Live, events: readonly LiveEvent[]): Live {
  const draft: Draft = { ...state, rows: { ...state.rows }, moved: false }
  for (const event of events) if (isNew(draft, event)) apply(draft, event)
  return finish(draft)
}

export function finish({ moved, ...live }: Draft): Live {
  return moved ? { ...live, ids: arrange(live.rows) } : live
}

export function draftOf(state: Live): Draft {
  return { ...state, rows: { ...state.rows }, moved: true }
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

const REPEATABLE = new Set<LiveEvent['type']>(['message', 'run', 'done', 'error', 'decision', 'state'])

/** Events that were applied before, on a state that may be older: those that say how things are, not what is added. */
export function reapply(live: Draft, events: readonly LiveEvent[]): void {
  for (const event of events) {
    if (event.type === 'interrupt') keepQuestion(live, event, event.run_id)
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
      return keepMessage(live, event.message)
    case 'run':
      return changeRun(live, event)
    case 'done':
      return endRun(live, event)
    case 'error':
      return failRun(live, event)
    case 'interrupt':
      openQuestion(live, event, event.run_id, event.ts)
      live.loose = [...live.loose, questionRowId(event.reference)]
      return
    case 'decision':
      return closeQuestion(live, event.reference, event.confirmed ? 'yes' : 'no')
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

export function put(live: Draft, row: Row): void {
  const old = live.rows[row.id]
  live.rows[row.id] = row
  if (!old || old.seq !== row.seq || old.runId !== row.runId || old.before !== row.before) live.moved = true
}

function drop(live: Draft, id: string): void {
  delete live.rows[id]
  live.moved = true
}

function fresh(live: Draft, event: LiveEvent) {
  live.born += 1
  return { runId: event.run_id, seq: null, born: live.born, before: null, at: event.ts }
}

/** What came before a stored thing of its run keeps its place before it. */
function anchorLoose(live: Draft, id: string, runId: string | null): void {
  const isOther = (looseId: string) => live.rows[looseId]?.runId !== runId
  for (const looseId of live.loose) {
    const row = live.rows[looseId]
    if (row && !isOther(looseId)) put(live, { ...row, before: id })
  }
  live.loose = live.loose.filter(isOther)
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
  const id = toolRowId(event.run_id, event.call_id)
  if (!live.rows[id]) {
    const unknown = { summary: '', durationMs: null, url: null, screenshot: null, box: null, reason: null }
    const { name, args } = event
    put(live, { ...fresh(live, event), ...unknown, kind: 'tool', id, name, args, status: 'running' })
  }
  anchorLoose(live, id, event.run_id)
}

function endTool(live: Draft, event: EventOf<'tool_end'>): void {
  const row = live.rows[toolRowId(event.run_id, event.call_id)]
  if (row?.kind !== 'tool' || row.seq !== null) return
  live.rows[row.id] = {
    ...row,
    status: event.ok ? 'ok' : 'failed',
    summary: event.summary,
    durationMs: event.duration_ms,
    url: event.url ?? null,
    screenshot: event.screenshot ?? null,
    reason: event.reason ?? null,
  }
  live.moved = true
}

export function keepMessage(live: Draft, message: Message): void {
  const row = rowOfMessage(message)
  const old = live.rows[row.id]
  if (row.kind === 'user') forgetAfterEdit(live, row, old)
  if (row.kind === 'user') forgetRetried(live, row, old)
  if (row.kind === 'text') anchorLoose(live, row.id, row.runId)
  put(live, old?.kind === 'tool' && row.kind === 'tool' ? { ...row, at: old.at ?? row.at } : row)
  if (row.kind === 'text') showThoughts(live, row)
}

/** The thoughts kept with an answer, unless the stream has told them piece by piece. */
function showThoughts(live: Draft, answer: TextRow): void {
  const { thinking: text, thinking_ms: ms } = answer.meta
  if (typeof text !== 'string') return
  const isTold = Object.values(live.rows).some((row) => row.kind === 'thinking' && row.runId === answer.runId)
  if (isTold) return
  const placed = { runId: answer.runId, seq: null, born: 0, before: answer.id, at: null }
  put(live, {
    ...placed,
    kind: 'thinking',
    id: storedThoughts(answer.id),
    text,
    endedAt: answer.at,
    ms: typeof ms === 'number' ? ms : null,
  })
}

const storedThoughts = (messageId: string) => `think:${messageId}`

/** A user message that comes again with other words was edited: what followed it is gone. */
function forgetAfterEdit(live: Draft, row: Row & { kind: 'user' }, old: Row | undefined): void {
  if (old?.kind !== 'user' || old.messageId !== row.messageId || old.text === row.text || row.seq === null)
    return
  for (const other of Object.values(live.rows)) {
    const follows = other.seq === null ? other.kind !== 'user' : other.seq > row.seq
    if (follows) drop(live, other.id)
  }
}

/** A user message that has a new run was tried again: a run before it of which nothing is kept did not fail either. */
function forgetRetried(live: Draft, row: Row & { kind: 'user' }, old: Row | undefined): void {
  const before = old?.runId
  if (!before || before === row.runId || !live.rows[errorRowId(before)]) return
  const isKept = Object.values(live.rows).some(
    ({ id, runId, seq }) => id !== row.id && runId === before && seq !== null,
  )
  if (!isKept) drop(live, errorRowId(before))
}

export function newRun(id: string): RunView {
  const unknown = { agent: null, model: null, step: null, maxSteps: null, note: null, queuePlace: null }
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
  const { code, message } = event
  put(live, { ...fresh(live, event), kind: 'error', id: errorRowId(event.run_id), code, text: message })
  closeRun(live, event, code === 'cancelled' ? 'cancelled' : 'failed')
}

function closeRun(live: Draft, event: LiveEvent, status: RunView['status']): void {
  stopThinking(live, event.ts)
  live.loose = []
  live.run = { ...viewOf(live, event.run_id), status, note: null, queuePlace: null, finishedAt: event.ts }
  live.pending = null
  for (const row of Object.values(live.rows)) {
    if (row.runId !== event.run_id) continue
    if (row.kind === 'text' && row.live) live.rows[row.id] = { ...row, live: false, cut: true }
    if (row.kind === 'tool' && row.status === 'running') live.rows[row.id] = { ...row, status: 'failed' }
    if (row.kind === 'question' && row.answer === 'open') live.rows[row.id] = { ...row, answer: 'void' }
  }
  live.moved = true
}

/** The question takes its place again when its event is replayed after a GET that already told of it. */
export function openQuestion(live: Draft, question: Pending, runId: string | null, at: string | null): void {
  const { reference, kind, reason, action, target, url, risk, amount, sends_to, screenshot, expires_at } =
    question
  live.pending = {
    reference,
    kind,
    reason,
    action,
    target,
    url,
    risk,
    amount,
    sends_to,
    screenshot,
    expires_at,
  }
  live.born += 1
  const placed = { id: questionRowId(reference), runId, at, seq: null, born: live.born, before: null }
  put(live, { ...placed, kind: 'question', question: live.pending, answer: 'open' })
  live.moved = true
}

/** The question is open; one that is shown already keeps its place. */
export function keepQuestion(live: Draft, question: Pending, runId: string | null): void {
  const row = live.rows[questionRowId(question.reference)]
  if (row?.kind !== 'question') return openQuestion(live, question, runId, null)
  live.pending = row.question
  put(live, { ...row, answer: 'open' })
}

export function closeQuestion(live: Draft, reference: string, answer: QuestionRow['answer']): void {
  if (live.pending?.reference === reference) live.pending = null
  const row = live.rows[questionRowId(reference)]
  if (row?.kind !== 'question' || row.answer === answer) return
  live.rows[row.id] = { ...row, answer }
  live.moved = true
}
