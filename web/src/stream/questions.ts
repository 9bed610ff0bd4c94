import type { Pending } from '@/api/types'
import { BEHIND, type Draft, lastNumber, put } from './draft'
import { type QuestionRow, questionRowId } from './rows'

export function openQuestion(
  live: Draft,
  question: Pending,
  runId: string | null,
  seq: number | null,
  at: string | null,
): void {
  const { reference, kind, reason, wants, action, target, url, risk, amount, sends_to, would_send } = question
  const { reason_parts, would_send_parts, spends, scopes, login, start, screenshot, expires_at, later_at } =
    question
  live.pending = {
    reference,
    kind,
    reason,
    reason_parts: reason_parts ?? null,
    wants: wants ?? null,
    action,
    target,
    url,
    risk,
    amount,
    sends_to,
    would_send: would_send ?? null,
    would_send_parts: would_send_parts ?? null,
    spends: spends ?? null,
    scopes: scopes ?? null,
    login: login ?? null,
    start: start ?? null,
    screenshot,
    expires_at,
    later_at: later_at ?? null,
  }
  live.born += 1
  const after = lastNumber(live) + BEHIND
  const placed = { id: questionRowId(reference), runId, at, seq, born: live.born, after }
  put(live, {
    ...placed,
    kind: 'question',
    question: live.pending,
    answer: 'open',
    outcome: null,
    note: null,
    waitedMs: 0,
  })
  live.moved = true
}

/** The question is open; one that is shown already keeps its place. */
export function keepQuestion(live: Draft, question: Pending, runId: string | null, seq: number | null): void {
  const row = live.rows[questionRowId(question.reference)]
  if (row?.kind !== 'question') return openQuestion(live, question, runId, seq, null)
  live.pending = row.question
  put(live, { ...row, seq: seq ?? row.seq, answer: 'open', outcome: null })
}

interface Closing {
  answer: QuestionRow['answer']
  note?: string | null
  outcome?: QuestionRow['outcome']
  /** When it was answered. */
  at?: string
}

export function closeQuestion(live: Draft, reference: string, closing: Closing): void {
  const { answer, note = null, outcome = null, at = null } = closing
  if (live.pending?.reference === reference) live.pending = null
  const row = live.rows[questionRowId(reference)]
  if (row?.kind !== 'question') return
  if (row.answer === answer && (row.note || !note) && (row.outcome || !outcome) && (row.waitedMs || !at))
    return
  const waitedMs = row.waitedMs || between(row.at, at)
  live.rows[row.id] = { ...row, answer, outcome: outcome ?? row.outcome, note: note ?? row.note, waitedMs }
  live.moved = true
}

/** Milliseconds; 0 where a time is not known. */
export const between = (from: string | null, to: string | null): number =>
  from && to ? Math.max(0, Date.parse(to) - Date.parse(from)) : 0
