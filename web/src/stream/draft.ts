import type { LiveEvent } from './events'
import { arrange, isUnread } from './arrange'
import type { Live } from './live'
import type { Row } from './rows'

/** A copy that one fold may change; `moved` says that the order must be computed again. */
export interface Draft extends Live {
  moved: boolean
}

export function finish({ moved, ...live }: Draft): Live {
  return moved ? { ...live, ids: arrange(live.rows) } : live
}

export function draftOf(state: Live): Draft {
  return { ...state, rows: { ...state.rows }, moved: true }
}

export function put(live: Draft, row: Row): void {
  const old = live.rows[row.id]
  live.rows[row.id] = row
  if (
    !old ||
    old.seq !== row.seq ||
    old.runId !== row.runId ||
    old.after !== row.after ||
    isWaiting(old) !== isWaiting(row)
  )
    live.moved = true
}

/** Whether it stands at the end until it is taken. */
const isWaiting = (row: Row) => isUnread(row) || (row.kind === 'user' && row.mode === 'queue')

export function drop(live: Draft, id: string): void {
  delete live.rows[id]
  live.moved = true
}

export function fresh(live: Draft, event: LiveEvent) {
  live.born += 1
  return { runId: event.run_id, seq: null, born: live.born, after: lastNumber(live) + BEHIND, at: event.ts }
}

/** Between two numbers. */
export const BEHIND = 0.5

export const lastNumber = ({ rows }: Draft): number =>
  Object.values(rows).reduce((last, { seq }) => Math.max(last, seq ?? 0), 0)

/** The stream assigns a number: rows that came earlier without one precede it, also when it is sent again after a GET. */
export function reach(live: Draft, number: number | null | undefined): void {
  if (!number || number <= live.reached) return
  live.reached = number
  for (const id of live.loose) {
    const row = live.rows[id]
    if (row && row.after > number) put(live, { ...row, after: number - BEHIND })
  }
}

/** After a step or an answer the thoughts that led to it are no longer added to. */
export function settle(live: Draft, runId: string | null): void {
  live.loose = live.loose.filter((id) => live.rows[id]?.runId !== runId)
}
