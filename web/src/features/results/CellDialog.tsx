import { type SubmitEvent, useState } from 'react'
import { api } from '@/api/client'
import type { ResultRow } from '@/api/types'
import { useLang, useWords } from '@/i18n'
import { openReplay } from '@/lib/addresses'
import { exact } from '@/lib/time'
import { hostOf, pictureUrl, safeUrl } from '@/lib/url'
import { PointButton } from '@/session/pointing/PointButton'
import { useSessionId } from '@/session/sessionId'
import { shotsOf } from '@/session/shots'
import { useSessionStore } from '@/stream/store'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { INPUT } from '@/ui/Field'
import { words } from './resultWords'
import { readCell, type TableColumn } from './table'

interface Props {
  /** null in a branch. */
  runId: string | null
  row: ResultRow
  /** Its place in the table as recorded, from 1. */
  number: number
  column: TableColumn
  onClose: () => void
}

/** One cell: where it comes from, what is to be said about it, and a field to change it. */
export function CellDialog({ runId, row, number, column, onClose }: Props) {
  const t = useWords(words)
  const { name } = column
  const why = row.missing?.[name]
  const was = row.edited?.[name]
  return (
    <Dialog open onClose={onClose} title={t('result.cell', { name, n: number })} width="max-w-md">
      <div className="flex flex-col gap-3 text-sm">
        {why && <p className="wrap-anywhere">{t('result.missing', { why })}</p>}
        {row.unverified?.includes(name) && (
          <p className="rounded-md bg-warn-soft px-3 py-2 text-warn first-letter:uppercase">
            {t('result.unverified')}
          </p>
        )}
        {was !== undefined && (
          <p className="wrap-anywhere text-muted">
            {t('result.edited.was', { was: was === null ? t('result.none') : String(was) })}
          </p>
        )}
        {runId ? (
          <Editor {...{ runId, row, column, onClose }} />
        ) : (
          <>
            <p className="wrap-anywhere">{String(row.values[name] ?? t('result.none'))}</p>
            <p className="text-xs text-muted">{t('result.branch')}</p>
          </>
        )}
        <Source row={row} onOpened={onClose} />
      </div>
    </Dialog>
  )
}

type EditorProps = Pick<Props, 'row' | 'column' | 'onClose'> & { runId: string }

function Editor({ runId, row, column, onClose }: EditorProps) {
  const t = useWords(words)
  const [typed, setTyped] = useState(String(row.values[column.name] ?? ''))
  const [failure, setFailure] = useState<string | null>(null)
  const save = async (event: SubmitEvent) => {
    event.preventDefault()
    const value = readCell(typed, column)
    if (value === undefined) return setFailure(t('result.misfit', { kind: t(`table.kind.${column.type}`) }))
    try {
      if (value !== (row.values[column.name] ?? null))
        await api.editCell(runId, { row: row.id, column: column.name, value })
      onClose()
    } catch (error) {
      setFailure((error as Error).message)
    }
  }
  const choices = column.type === 'boolean' ? ['true', 'false'] : column.enum?.map(String)
  const field = {
    id: 'cell-value',
    value: typed,
    'aria-invalid': failure ? true : undefined,
    'aria-describedby': failure ? 'cell-failure' : undefined,
    className: INPUT,
  }
  return (
    <form onSubmit={(event) => void save(event)} className="flex flex-col gap-1.5">
      <label htmlFor="cell-value" className="font-medium">
        {t('result.value')}
      </label>
      <div className="flex items-center gap-2">
        {choices ? (
          <select {...field} onChange={(event) => setTyped(event.target.value)}>
            <option value="">{t('result.none')}</option>
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {column.type === 'boolean' ? t(`result.${choice === 'true'}`) : choice}
              </option>
            ))}
          </select>
        ) : (
          <input
            {...field}
            inputMode={column.type === 'number' || column.type === 'integer' ? 'decimal' : undefined}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
        <Button type="submit" tone="primary">
          {t('result.save')}
        </Button>
      </div>
      {failure && (
        <p id="cell-failure" role="alert" className="text-xs text-danger">
          {failure}
        </p>
      )}
    </form>
  )
}

/** The page, the time and the picture of the row. */
function Source({ row, onOpened }: { row: ResultRow; onOpened: () => void }) {
  const t = useWords(words)
  const lang = useLang()
  const sessionId = useSessionId()
  const store = useSessionStore()
  const picture = pictureUrl(row.screenshot, 640)
  const link = safeUrl(row.url)
  const open = () => {
    const { ids, rows } = store.getState()
    const index = shotsOf(ids, rows).findIndex((shot) => shot.picture === row.screenshot)
    onOpened()
    openReplay(sessionId, Math.max(0, index) + 1)
  }
  return (
    <>
      <p className="text-xs wrap-anywhere text-muted">
        {t('result.source')}:{' '}
        {link ? (
          <a href={link} target="_blank" rel="noreferrer noopener" className="underline">
            {hostOf(link)}
          </a>
        ) : (
          row.file
        )}
        {' · '}
        {exact(new Date(row.at), lang)}
      </p>
      {picture && (
        <div className="relative">
          <button
            type="button"
            aria-label={t('result.picture')}
            onClick={open}
            className="block overflow-hidden rounded-md border border-line hover:border-strong"
          >
            <img src={picture} alt={t('result.picture.alt')} className="block w-full" />
          </button>
          <span className="absolute right-1.5 bottom-1.5 rounded-md border border-line bg-bg">
            <PointButton small picture={row.screenshot ?? null} onPoint={onOpened} />
          </span>
        </div>
      )}
    </>
  )
}
