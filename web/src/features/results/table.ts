import type { Cell, ColumnSchema, ResultRow, ResultSchema } from '@/api/types'
import { safeCell } from '@/lib/sheet'
import type { Lang } from '@/lib/prefs'
import type { ToolRow } from '@/stream/rows'

export interface TableColumn extends ColumnSchema {
  name: string
}

export interface Table {
  /** null in a branch: its rows cannot be changed or downloaded. */
  runId: string | null
  columns: TableColumn[]
  rows: ResultRow[]
}

/** The table of a run from the steps that recorded its rows; null if there is none. */
export function tableOf(steps: ToolRow[]): Table | null {
  const first = steps.find((step) => step.result !== null)
  if (!first?.result) return null
  const rows = steps.flatMap((step) => step.result?.rows ?? [])
  return { runId: first.runId, columns: columnsOf(first.result.schema), rows }
}

/** `required` has the order: a JSON object puts names that are numbers first. */
const columnsOf = ({ items }: ResultSchema): TableColumn[] =>
  items.required.map((name) => ({ name, ...(items.properties[name] ?? { type: 'string' }) }))

export interface Order {
  column: string
  down: boolean
}

/** The next order when a heading is pressed: up, down, as recorded. */
export function nextOrder(order: Order | null, column: string): Order | null {
  if (order?.column !== column) return { column, down: false }
  return order.down ? null : { column, down: true }
}

/** A new list; rows without a value come last in both directions. */
export function sorted(rows: ResultRow[], order: Order | null, lang: Lang): ResultRow[] {
  if (!order) return rows
  const texts = new Intl.Collator(lang, { numeric: true, sensitivity: 'base' })
  const sign = order.down ? -1 : 1
  const compare = (a: Cell, b: Cell) =>
    typeof a === 'string' && typeof b === 'string' ? texts.compare(a, b) : Number(a) - Number(b)
  return [...rows].sort((one, other) => {
    const a = one.values[order.column] ?? null
    const b = other.values[order.column] ?? null
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    return sign * compare(a, b)
  })
}

/** Lines of cells between tabs, as spreadsheets paste them. */
export function toTsv(columns: TableColumn[], rows: ResultRow[]): string {
  const text = (value: Cell | undefined) =>
    typeof value === 'string' ? safeCell(value) : String(value ?? '')
  const lines = [
    columns.map((column) => text(column.name)),
    ...rows.map((row) => columns.map((column) => text(row.values[column.name]))),
  ]
  return lines.map((line) => line.join('\t')).join('\n')
}

/** The value that was typed for a column; `undefined` if it is none of its kind. Nothing is null. */
export function readCell(typed: string, { type }: ColumnSchema): Cell | undefined {
  const text = typed.trim()
  if (text === '') return null
  if (type === 'string') return text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  const value = Number(text.replace(/[\s\u00a0]/g, '').replace(',', '.'))
  return Number.isFinite(value) && (type === 'number' || Number.isInteger(value)) ? value : undefined
}
