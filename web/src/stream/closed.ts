import type { Question, SessionDetail } from '@/api/types'
import { type Draft, put } from './reducer'
import { type QuestionRow, questionRowId, errorRowId, rowOfMessage } from './rows'

/** What is over and was no message: questions with their answers, and how earlier runs ended. */
export function showClosed(draft: Draft, session: SessionDetail): void {
  for (const asked of session.interrupts ?? []) if (asked.status !== 'open') showAnswer(draft, session, asked)
  for (const { run_id, code, message, finished_at } of session.errors ?? []) {
    const isKept = session.messages.some((row) => row.run_id === run_id)
    if (isKept && run_id !== session.run?.id) putFailure(draft, run_id, code, message, finished_at)
  }
}

export function putFailure(draft: Draft, runId: string, code: string, text: string, at: string | null): void {
  draft.born += 1
  const placed = { id: errorRowId(runId), runId, seq: null, born: draft.born, before: null }
  put(draft, { ...placed, kind: 'error', at, code, text })
}

/** A question that the stream has told of keeps its place; else it stands before what was stored next in its run. */
function showAnswer(draft: Draft, session: SessionDetail, asked: Question): void {
  const id = questionRowId(asked.reference)
  const known = draft.rows[id]
  if (known?.kind === 'question') return put(draft, { ...known, answer: answerOf(asked) })
  const time = Date.parse(asked.created_at)
  const next = session.messages.find(
    (row) => row.run_id === asked.run_id && row.role !== 'user' && Date.parse(row.created_at) > time,
  )
  draft.born += 1
  const before = next ? rowOfMessage(next).id : null
  const placed = {
    id,
    runId: asked.run_id,
    at: asked.decided_at ?? asked.created_at,
    seq: null,
    born: draft.born,
    before,
  }
  put(draft, { ...placed, kind: 'question', question: asked, answer: answerOf(asked) })
}

function answerOf({ status, confirmed }: Question): QuestionRow['answer'] {
  if (status !== 'decided') return 'void'
  return confirmed ? 'yes' : 'no'
}
