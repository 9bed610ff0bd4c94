import type { Row } from './rows'

const NOT_STORED = 1e12

/**
 * The order of the feed, computed from the rows alone, so that a reload and a live stream give the same.
 *
 * Runs follow each other; inside a run stored rows come by `seq`, then what is still live by arrival, the
 * answer being written last, then the run's error. A row with `before` stands right before that row.
 */
export function arrange(rows: Record<string, Row>): string[] {
  const all = Object.values(rows)
  const runs = runOrder(all)
  const anchored = new Map<string, Row[]>()
  const free: Row[] = []
  for (const row of all) {
    if (row.before !== null && rows[row.before])
      anchored.set(row.before, [...(anchored.get(row.before) ?? []), row])
    else free.push(row)
  }
  const place = (row: Row) => (row.runId === null ? own(row) : (runs.get(row.runId) ?? own(row)))
  free.sort((a, b) => place(a) - place(b) || group(a) - group(b) || own(a) - own(b))
  const ids: string[] = []
  for (const row of free) {
    for (const ahead of (anchored.get(row.id) ?? []).sort((a, b) => a.born - b.born)) ids.push(ahead.id)
    ids.push(row.id)
  }
  return ids
}

const own = (row: Row) => row.seq ?? NOT_STORED + row.born

function group(row: Row): number {
  if (row.kind === 'error') return 3
  if (row.seq !== null) return 0
  return row.kind === 'text' ? 2 : 1
}

function runOrder(rows: Row[]): Map<string, number> {
  const first = new Map<string, number>()
  for (const row of rows) {
    if (row.runId === null) continue
    first.set(row.runId, Math.min(own(row), first.get(row.runId) ?? Infinity))
  }
  return first
}
