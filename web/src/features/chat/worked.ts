import type { Row } from '@/stream/rows'

/** Milliseconds. A first step that begins later than this after its message is of another try, or waited for a browser. */
const LONGEST_START = 120_000

/**
 * Milliseconds from the message, or else from the first of these steps, to the answer, without the time in which a
 * question waited. From what is stored alone, so that it is the same after a reload.
 */
export function workedFor(steps: Row[], before: Row | undefined, answer: Row): number {
  const first = steps[0]
  const begun = time(first?.at) - (first?.kind === 'tool' ? (first.durationMs ?? 0) : 0)
  const asked = before?.kind === 'user' ? time(before.at) : Number.NaN
  const start = begun - asked <= LONGEST_START ? asked : begun
  const waited = sum(steps, (row) => (row.kind === 'question' ? row.waitedMs : 0))
  const spent = time(answer.at) - start - waited
  const measured = sum(steps, (row) => (row.kind === 'tool' ? (row.durationMs ?? 0) : 0))
  return Number.isFinite(spent) ? Math.max(spent, measured) : measured
}

const time = (at: string | null | undefined): number => (at ? Date.parse(at) : Number.NaN)

const sum = (rows: Row[], of: (row: Row) => number): number => rows.reduce((total, row) => total + of(row), 0)
