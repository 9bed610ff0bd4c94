import type { Row, ToolRow } from '@/stream/rows'
import { workedFor } from './worked'

export type Entry =
  | { kind: 'row'; key: string; id: string; rail: boolean }
  /** `worked`: milliseconds until the answer below it; null for steps without one. */
  | { kind: 'group'; key: string; ids: string[]; open: boolean; worked: number | null }
  /** The table of a run; `ids` are the steps that recorded its rows. */
  | { kind: 'table'; key: string; ids: string[] }

const ENOUGH = 4
const KEPT_IN_SIGHT = 2

/**
 * What the feed shows, in the order of time: finished steps in a row fold into one line, with the approvals that were
 * given between them; all that led to an answer, and without one only many of them, except the newest ones of a run at
 * work. A refusal, an expiry and words of the person stay in sight. A group is known by its first row, so it keeps its
 * key while it grows. The table of a run stands below its answer.
 */
export function entriesOf(
  ids: string[],
  rows: Record<string, Row>,
  opened: ReadonlySet<string>,
  isBusy: boolean,
): Entry[] {
  const entries: Entry[] = []
  let streak: string[] = []
  let table: ToolRow[] = []
  /** What stands above the streak. */
  let before: Row | undefined
  const closeTable = () => {
    const [first] = table
    if (first) entries.push({ kind: 'table', key: `table:${first.id}`, ids: table.map((row) => row.id) })
    table = []
  }
  const close = (isLast: boolean, answer?: Row) => {
    const kept = isLast && isBusy ? KEPT_IN_SIGHT : 0
    entries.push(
      ...(answer ? foldAll(streak, rows, opened, [before, answer]) : fold(streak, rows, opened, kept)),
    )
    streak = []
  }
  for (const id of ids) {
    const row = rows[id]
    if (!row) continue
    const isAnswer = row.kind === 'text' && !row.live && !row.cut
    if (table.length > 0 && row.kind !== 'text' && endsTable(row, table[0]!)) {
      close(false)
      closeTable()
    }
    if (row.kind === 'tool' && row.result) table.push(row)
    if (isFinishedStep(row)) {
      streak.push(id)
      continue
    }
    close(row.kind === 'tool' || row.kind === 'text', isAnswer ? row : undefined)
    entries.push(rowEntry(row))
    if (row.kind === 'text') closeTable()
    before = row
  }
  close(true)
  closeTable()
  return entries
}

const isFinishedStep = (row: Row) =>
  (row.kind === 'tool' && row.status !== 'running') ||
  (row.kind === 'thinking' && row.endedAt !== null) ||
  isApproval(row)

/** Nothing but a yes: there is no more to read in it than what was approved. */
export const isApproval = (row: Row | undefined) =>
  row?.kind === 'question' && row.answer === 'yes' && row.question.kind !== 'manual' && !row.note

/** An error ends it, and whatever belongs to another run. The rows of a branch have no run. */
const endsTable = (row: Row, first: ToolRow) =>
  row.kind === 'error' || row.runId !== first.runId || (!row.runId && row.kind === 'user')

const rowEntry = (row: Row): Entry => ({
  kind: 'row',
  key: row.id,
  id: row.id,
  rail: ['tool', 'thinking', 'question', 'activity'].includes(row.kind),
})

function fold(
  streak: string[],
  rows: Record<string, Row>,
  opened: ReadonlySet<string>,
  kept: number,
): Entry[] {
  const single = (id: string) => rowEntry(rows[id]!)
  const tools = streak.filter((id) => rows[id]?.kind === 'tool')
  const foldable = kept === 0 ? streak : streak.slice(0, streak.indexOf(tools.at(-kept) ?? ''))
  if (foldable.filter((id) => rows[id]?.kind === 'tool').length < ENOUGH) return streak.map(single)
  return [...group(foldable, rows, opened, null), ...streak.slice(foldable.length).map(single)]
}

/** Two rows with a step among them become one line, in which the row above them and the answer say the time. */
function foldAll(
  streak: string[],
  rows: Record<string, Row>,
  opened: ReadonlySet<string>,
  [before, answer]: [Row | undefined, Row],
): Entry[] {
  const steps = streak.map((id) => rows[id]!)
  if (streak.length < 2 || !steps.some(({ kind }) => kind === 'tool')) return steps.map(rowEntry)
  return group(streak, rows, opened, workedFor(steps, before, answer))
}

function group(
  ids: string[],
  rows: Record<string, Row>,
  opened: ReadonlySet<string>,
  worked: number | null,
): Entry[] {
  const key = `group:${ids[0]}`
  const open = opened.has(key)
  return [{ kind: 'group', key, ids, open, worked }, ...(open ? ids.map((id) => rowEntry(rows[id]!)) : [])]
}

export const toolsOf = (ids: string[], rows: Record<string, Row>): ToolRow[] =>
  ids.map((id) => rows[id]).filter((row): row is ToolRow => row?.kind === 'tool')
