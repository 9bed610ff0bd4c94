import type { Run, SessionDetail } from '@/api/types'
import { putFailure, showClosed } from './closed'
import type { LiveEvent } from './events'
import { isOpen, type Live, NO_WORK, type RunView } from './live'
import { type Draft, draftOf, finish, put } from './draft'
import { closeQuestion, keepQuestion } from './questions'
import { keepMessage, reapply, STORED_THOUGHTS } from './reducer'
import { type Row, rowOfActivity } from './rows'

/** Pure: the state after the session was read by GET. What only the stream knows of an open run is kept.
 *  `newer`: the events that came while it was read. The answer may be older than they are, so they are applied again. */
export function hydrate(state: Live, session: SessionDetail, newer: readonly LiveEvent[] = []): Live {
  const draft = draftOf(state)
  const known = new Set(session.messages.map((message) => message.seq))
  for (const activity of session.activities ?? []) known.add(activity.position)
  const last = session.messages.at(-1)?.seq ?? 0
  const run = viewOfRun(state, session)
  for (const row of Object.values(draft.rows)) if (isGone(row, run, known, last)) delete draft.rows[row.id]
  for (const message of session.messages) keepMessage(draft, message)
  for (const activity of session.activities ?? []) put(draft, rowOfActivity(activity))
  for (const row of Object.values(draft.rows))
    if (row.kind === 'thinking' && isAnswerGone(row, draft)) delete draft.rows[row.id]
  draft.run = run
  if (!isOpen(run)) interruptSteps(draft)
  draft.work = session.state ?? NO_WORK
  // Stored only when the run ends or asks: while it runs, the stream is newer.
  const streamed = run !== null && isOpen(run) && state.run?.id === run.id ? state.usage : null
  draft.usage = streamed ?? session.run?.usage ?? state.usage
  showClosed(draft, session)
  syncAsk(draft, session)
  if (session.run) showFailure(draft, session.run, session)
  reapply(draft, newer)
  return finish({ ...draft, loaded: true })
}

function isGone(row: Row, run: RunView | null, known: Set<number>, last: number): boolean {
  if (row.kind === 'question') return false
  if (row.kind === 'user' && row.mode === 'queue' && row.seq !== null) return !known.has(row.seq)
  const isOver = run !== null && run.id === row.runId && !isOpen(run)
  if (row.kind === 'error') return isOver
  const isRunning = row.kind === 'tool' && row.status === 'running' && !isOver
  if (row.seq !== null && !isRunning) return row.seq <= last && !known.has(row.seq)
  return isOver && (row.kind === 'tool' || (row.kind === 'text' && !row.cut))
}

/** Nothing runs any more: a step that the stream last showed at work has been cut off. */
function interruptSteps(draft: Draft): void {
  for (const row of Object.values(draft.rows))
    if (row.kind === 'tool' && row.status === 'running')
      draft.rows[row.id] = { ...row, status: 'failed', reason: 'interrupted' }
}

/** Thoughts that are kept with an answer go with it. */
const isAnswerGone = (row: Row, { rows }: Draft): boolean =>
  row.id.startsWith(STORED_THOUGHTS) && !rows[row.id.slice(STORED_THOUGHTS.length)]

function viewOfRun(state: Live, session: SessionDetail): RunView | null {
  const run = session.run
  if (!run) return null
  const same = state.run?.id === run.id ? state.run : null
  return {
    id: run.id,
    status: run.status,
    agent: session.agent,
    model: session.model,
    step: same?.step ?? null,
    maxSteps: same?.maxSteps ?? session.max_tool_steps,
    note: same?.note ?? null,
    noteParts: same?.noteParts ?? null,
    queuePlace: session.queue_place ?? null,
    startedAt: run.started_at ?? same?.startedAt ?? null,
    finishedAt: run.finished_at ?? null,
  }
}

function syncAsk(draft: Draft, session: SessionDetail): void {
  for (const row of Object.values(draft.rows)) {
    const isClosed =
      row.kind === 'question' &&
      row.answer === 'open' &&
      row.question.reference !== session.pending?.reference
    if (isClosed) closeQuestion(draft, row.question.reference, { answer: 'void' })
  }
  draft.pending = null
  if (session.pending) keepQuestion(draft, session.pending, session.run?.id ?? null, session.pending.position)
}

function showFailure(draft: Draft, run: Run, session: SessionDetail): void {
  if (!['failed', 'cancelled', 'interrupted'].includes(run.status)) return
  const place = session.errors?.find((failure) => failure.run_id === run.id)?.position ?? null
  const text = { message: run.error ?? '', message_parts: run.error_parts }
  const ended = { run_id: run.id, code: run.error_code ?? run.status, ...text }
  putFailure(draft, { ...ended, finished_at: run.finished_at ?? null, position: place })
}
