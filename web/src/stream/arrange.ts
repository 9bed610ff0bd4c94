import type { Row } from './rows'

/**
 * The order of the feed, computed from the rows alone, so that a reload and a live stream give the same.
 *
 * What is stored stands by its number in the session's one sequence. What is not stored stands behind the number
 * after which it came. At the end stand, in this order: the answer being written, messages to the run that its
 * agent has not read, queued messages, and messages on their way to the server.
 */
export function arrange(rows: Record<string, Row>): string[] {
  const all = Object.values(rows)
  all.sort((a, b) => part(a) - part(b) || place(a) - place(b) || rank(a) - rank(b) || a.born - b.born)
  return all.map((row) => row.id)
}

export const place = (row: Row): number => row.seq ?? row.after

function part(row: Row): number {
  if (row.kind === 'text') return row.live && row.seq === null ? 1 : 0
  if (row.kind !== 'user') return 0
  if (row.seq === null) return 4
  if (row.mode === 'queue') return 3
  return isUnread(row) ? 2 : 0
}

/** A message to a run at work that its agent has still to read. */
export const isUnread = (row: Row): boolean =>
  row.kind === 'user' &&
  row.mode === 'steer' &&
  row.isRead === null &&
  ['sent', 'sending'].includes(row.delivery)

/** Of one number, as in sessions from before all rows had one: the message first. */
const rank = ({ kind }: Row): number => (['question', 'error', 'activity'].includes(kind) ? 1 : 0)
