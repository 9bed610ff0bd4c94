import type { Row, ToolRow } from '@/stream/rows'

export type Entry =
  | { kind: 'row'; key: string; id: string; rail: boolean }
  | { kind: 'group'; key: string; ids: string[]; open: boolean }
  /** The table of a run; `ids` are the steps that recorded its rows. */
  | { kind: 'table'; key: string; ids: string[] }

const ENOUGH = 4
const KEPT_IN_SIGHT = 2

/**
 * What the feed shows: finished steps in a row fold into one line, with the approvals that were given between them,
 * except the newest ones of a run at work. A refusal, an expiry and words of the person stay in sight.
 * A group is known by its first row, so it keeps its key while it grows. The answer stands above the steps that led to
 * it, also while it is written, and its table between both.
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
  /** Where the entries since the last thing that was said begin. */
  let since = 0
  const closeTable = () => {
    const [first] = table
    if (first) entries.push({ kind: 'table', key: `table:${first.id}`, ids: table.map((row) => row.id) })
    table = []
  }
  const close = (isLast: boolean) => {
    entries.push(...fold(streak, rows, opened, isLast && isBusy ? KEPT_IN_SIGHT : 0))
    streak = []
  }
  for (const id of ids) {
    const row = rows[id]
    if (!row) continue
    if (table.length > 0 && endsTable(row, table[0]!)) {
      close(row.kind === 'text' && row.live)
      closeTable()
    }
    if (row.kind === 'tool' && row.result) table.push(row)
    if (isFinishedStep(row)) {
      streak.push(id)
      continue
    }
    close(row.kind === 'tool' || (row.kind === 'text' && row.live))
    if (row.kind === 'text') putAnswer(entries, since, row, rows)
    else entries.push(rowEntry(row))
    if (row.kind === 'text' || row.kind === 'user') since = entries.length
  }
  close(true)
  closeTable()
  return entries
}

/** Before the steps that led to it. */
function putAnswer(entries: Entry[], since: number, answer: Row, rows: Record<string, Row>): void {
  const steps = entries.splice(since)
  const isStep = (entry: Entry) =>
    entry.kind === 'group' || (entry.kind === 'row' && rows[entry.id]?.kind === 'tool')
  if (!steps.some(isStep)) {
    entries.push(...steps, rowEntry(answer))
    return
  }
  const isTable = (entry: Entry) => entry.kind === 'table'
  entries.push(rowEntry(answer), ...steps.filter(isTable), ...steps.filter((entry) => !isTable(entry)))
}

const isFinishedStep = (row: Row) =>
  (row.kind === 'tool' && row.status !== 'running') ||
  (row.kind === 'thinking' && row.endedAt !== null) ||
  isApproval(row)

/** Nothing but a yes: there is no more to read in it than what was approved. */
export const isApproval = (row: Row | undefined) =>
  row?.kind === 'question' && row.answer === 'yes' && row.question.kind === 'confirm' && !row.note

/** An answer or an error ends it, and whatever belongs to another run. The rows of a branch have no run. */
const endsTable = (row: Row, first: ToolRow) =>
  row.kind === 'text' ||
  row.kind === 'error' ||
  row.runId !== first.runId ||
  (!row.runId && row.kind === 'user')

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
  const key = `group:${foldable[0]}`
  const open = opened.has(key)
  const inside = open ? foldable.map(single) : []
  return [
    { kind: 'group', key, ids: foldable, open },
    ...inside,
    ...streak.slice(foldable.length).map(single),
  ]
}

export const toolsOf = (ids: string[], rows: Record<string, Row>): ToolRow[] =>
  ids.map((id) => rows[id]).filter((row): row is ToolRow => row?.kind === 'tool')
