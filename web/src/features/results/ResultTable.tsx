import { ArrowDown, ArrowUp, Check, Copy, Download, PenLine, Table2, TriangleAlert } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { downloads, type ResultFormat } from '@/api/client'
import type { ResultRow } from '@/api/types'
import { useLang, useWords } from '@/i18n'
import { useCopy } from '@/lib/copy'
import { cx } from '@/lib/cx'
import { download } from '@/lib/download'
import type { ToolRow } from '@/stream/rows'
import { useLive } from '@/stream/store'
import { Button } from '@/ui/Button'
import { IconButton } from '@/ui/IconButton'
import { Menu, MenuItem } from '@/ui/Menu'
import { CellDialog } from './CellDialog'
import { words } from './resultWords'
import { nextOrder, type Order, sorted, type Table, type TableColumn, tableOf, toTsv } from './table'

const SHOWN_AT_FIRST = 50
const FORMATS: ResultFormat[] = ['csv', 'xlsx', 'json']

/** The rows that a run has recorded so far; `ids` are the steps that did. */
export default function ResultTable({ ids }: { ids: string[] }) {
  const steps = useLive(useShallow((state) => ids.map((id) => state.rows[id])))
  const table = useMemo(() => tableOf(steps.filter((row): row is ToolRow => row?.kind === 'tool')), [steps])
  return table && <TableView table={table} />
}

function TableView({ table }: { table: Table }) {
  const t = useWords(words)
  const lang = useLang()
  const [order, setOrder] = useState<Order | null>(null)
  const [isWhole, setWhole] = useState(false)
  const [open, setOpen] = useState<{ row: string; column: string } | null>(null)
  const rows = useMemo(() => sorted(table.rows, order, lang), [table, order, lang])
  const shown = isWhole ? rows : rows.slice(0, SHOWN_AT_FIRST)
  const title = t('result.title', { n: rows.length })
  const opened = open && table.rows.find((row) => row.id === open.row)
  const column = open && table.columns.find(({ name }) => name === open.column)
  return (
    <section aria-label={title} className="my-3 rounded-lg border border-line" data-result={table.runId}>
      <header className="flex items-center justify-between gap-2 py-1 pr-1 pl-3">
        <h3 className="flex min-w-0 items-center gap-1.5 text-sm font-medium">
          <Table2 size={15} aria-hidden className="shrink-0 text-muted" />
          {title}
        </h3>
        <Tools table={table} rows={rows} />
      </header>
      <div
        role="region"
        aria-label={title}
        tabIndex={0}
        className="max-h-[60dvh] overflow-auto border-t border-line -outline-offset-2"
      >
        <table className="w-full border-collapse text-sm">
          <thead className="sticky top-0 bg-s1">
            <tr>
              {table.columns.map((one) => (
                <Heading
                  key={one.name}
                  column={one}
                  order={order}
                  onSort={() => setOrder(nextOrder(order, one.name))}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.id} className="border-t border-line">
                {table.columns.map((one) => (
                  <td key={one.name} className="max-w-80 min-w-20 p-0 align-top">
                    <CellButton
                      row={row}
                      column={one}
                      onOpen={() => setOpen({ row: row.id, column: one.name })}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <footer className="flex flex-wrap items-center justify-between gap-2 border-t border-line px-3 py-1.5">
        <p className="text-2xs text-muted">
          {rows.some((row) => row.unverified?.length) && `${t('result.legend')} `}
          {t('result.hint')}
        </p>
        {shown.length < rows.length && (
          <Button small onClick={() => setWhole(true)}>
            {t('result.all', { n: rows.length })}
          </Button>
        )}
      </footer>
      {opened && column && (
        <CellDialog
          key={`${opened.id} ${column.name}`}
          runId={table.runId}
          row={opened}
          number={table.rows.indexOf(opened) + 1}
          column={column}
          onClose={() => setOpen(null)}
        />
      )}
    </section>
  )
}

function Tools({ table, rows }: { table: Table; rows: ResultRow[] }) {
  const t = useWords(words)
  const [copied, copy] = useCopy()
  const { runId } = table
  return (
    <span className="flex shrink-0 items-center">
      <IconButton
        small
        label={copied ? t('copied') : t('result.copy')}
        data-copy
        onClick={() => copy(toTsv(table.columns, rows))}
      >
        {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      </IconButton>
      {runId && (
        <Menu
          trigger={
            <button
              type="button"
              aria-label={t('result.download')}
              className="touch inline-flex size-7 items-center justify-center rounded-md text-muted hover:bg-s2 hover:text-text"
            >
              <Download size={14} aria-hidden />
            </button>
          }
        >
          {FORMATS.map((format) => (
            <MenuItem key={format} onSelect={() => download(downloads.result(runId, format))}>
              {format.toUpperCase()}
            </MenuItem>
          ))}
        </Menu>
      )}
    </span>
  )
}

const isNumber = ({ type }: TableColumn) => type === 'number' || type === 'integer'

interface HeadingProps {
  column: TableColumn
  order: Order | null
  onSort: () => void
}

function Heading({ column, order, onSort }: HeadingProps) {
  const t = useWords(words)
  const isSorted = order?.column === column.name
  const Arrow = order?.down ? ArrowDown : ArrowUp
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (order.down ? 'descending' : 'ascending') : undefined}
      className="p-0 text-start font-medium"
    >
      <button
        type="button"
        title={column.description || t('result.sort', { name: column.name })}
        onClick={onSort}
        className={cx(
          'touch flex min-h-8 w-full items-center gap-1 px-3 py-1 text-start -outline-offset-2 hover:bg-s2',
          isNumber(column) && 'justify-end text-end',
        )}
      >
        <span className="wrap-anywhere">{column.name}</span>
        {isSorted && <Arrow size={13} aria-hidden className="shrink-0" />}
      </button>
    </th>
  )
}

interface CellProps {
  row: ResultRow
  column: TableColumn
  onOpen: () => void
}

/** A value; what is to be said about it is in its name too, not in its colour alone. */
function CellButton({ row, column, onOpen }: CellProps) {
  const t = useWords(words)
  const value = row.values[column.name] ?? null
  const why = row.missing?.[column.name]
  const isUnverified = row.unverified?.includes(column.name) ?? false
  const isEdited = column.name in (row.edited ?? {})
  const note = why ?? (isUnverified ? t('result.unverified') : isEdited ? t('result.edited') : null)
  return (
    <button
      type="button"
      title={note ?? undefined}
      onClick={onOpen}
      className={cx(
        'flex min-h-8 w-full items-start gap-1.5 px-3 py-1.5 text-start -outline-offset-2 pointer-coarse:min-h-11',
        isNumber(column) && 'tabular justify-end text-end',
        isUnverified ? 'bg-warn-soft text-warn' : 'hover:bg-s2',
        value === null && 'text-faint',
      )}
    >
      {isUnverified && <TriangleAlert size={13} aria-hidden className="mt-1 shrink-0" />}
      {isEdited && <PenLine size={13} aria-hidden className="mt-1 shrink-0 text-muted" />}
      <span className="line-clamp-3 wrap-anywhere">
        {value === null ? (
          <span aria-hidden>—</span>
        ) : typeof value === 'boolean' ? (
          t(`result.${value}`)
        ) : (
          value
        )}
        {value === null && <span className="sr-only">{t('result.none')}</span>}
      </span>
      {note && <span className="sr-only">({note})</span>}
    </button>
  )
}
