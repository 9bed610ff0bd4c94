import type { Failure, OpenQuestion, Question, SessionDetail } from '@/api/types'
import { between } from './questions'
import { type Draft, lastNumber, put } from './draft'
import { errorRowId, openQuestionRow, type QuestionRow, questionRowId } from './rows'

/** What has ended and was no message: questions with their answers, and how earlier runs ended. */
export function showClosed(draft: Draft, session: SessionDetail): void {
  for (const asked of session.interrupts ?? []) if (asked.status !== 'open') showAnswer(draft, asked)
  for (const failed of session.errors ?? []) {
    const isKept = session.messages.some((row) => row.run_id === failed.run_id)
    if (isKept && failed.run_id !== session.run?.id) putFailure(draft, failed)
  }
}

export type Failed = Omit<Failure, 'status' | 'position'> & { position: number | null }

export function putFailure(draft: Draft, failed: Failed): void {
  const { run_id: runId, code, message: text, message_parts: parts, finished_at: at, position } = failed
  draft.born += 1
  const known = draft.rows[errorRowId(runId)]
  const seq = position ?? known?.seq ?? null
  const placed = { id: errorRowId(runId), runId, seq, born: draft.born, after: lastNumber(draft) }
  put(draft, { ...placed, kind: 'error', at, code, text, parts: parts ?? null })
}

function showAnswer(draft: Draft, asked: Question): void {
  const id = questionRowId(asked.reference)
  const known = draft.rows[id]
  const waitedMs = between(asked.created_at, asked.decided_at)
  const closed = { answer: answerOf(asked), outcome: asked.outcome ?? null, note: asked.message, waitedMs }
  if (known?.kind === 'question') return put(draft, { ...known, seq: asked.position, ...closed })
  draft.born += 1
  const placed = { id, runId: asked.run_id, seq: asked.position, born: draft.born, after: 0 }
  const at = asked.decided_at ?? asked.created_at
  put(draft, { ...placed, at, kind: 'question', question: asked, ...closed })
}

function answerOf({ status, confirmed }: Question): QuestionRow['answer'] {
  if (status !== 'decided') return 'void'
  return confirmed ? 'yes' : 'no'
}

/** The row of a closed question outside of its session. */
export const closedQuestionRow = (asked: OpenQuestion): QuestionRow => ({
  ...openQuestionRow(asked),
  answer: answerOf(asked),
  outcome: asked.outcome ?? null,
  note: asked.message ?? null,
})
