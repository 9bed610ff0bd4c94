import { isOfInputMethod } from '@/lib/keys'
import { Plus, X } from 'lucide-react'
import { type KeyboardEvent, useRef } from 'react'
import { useWords } from '@/i18n'
import { cx } from '@/lib/cx'
import { IconButton } from '@/ui/IconButton'
import {
  addColumn,
  changeColumns,
  type Column,
  isTaken,
  type Kind,
  KINDS,
  MAX_COLUMNS,
  NAME_CHARS,
  useColumns,
} from './columns'
import { words } from './resultWords'

interface Props {
  sessionId: string | null
  agent: string
}

const INPUT = 'touch h-8 rounded-md border border-strong bg-bg px-2 text-sm placeholder:text-faint'

/** The columns of the table, one chip each, and a line for the next one. */
export function ColumnEditor({ sessionId, agent }: Props) {
  const t = useWords(words)
  const { isOn, columns, name, kind } = useColumns(sessionId)
  const input = useRef<HTMLInputElement>(null)
  if (!isOn || agent === 'assistant') return null
  const change = changeColumns.bind(null, sessionId)
  const isKnown = name.trim() !== '' && isTaken(columns, name)
  const isFull = columns.length >= MAX_COLUMNS
  const add = () => {
    addColumn(sessionId)
    input.current?.focus()
  }
  const remove = (gone: Column) => {
    change({ columns: columns.filter((column) => column !== gone) })
    input.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isOfInputMethod(event)) return
    const last = columns.at(-1)
    if (event.key === 'Enter') add()
    else if (event.key === 'Escape') change({ isOn: false })
    else if (event.key === 'Backspace' && name === '' && last) remove(last)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <fieldset className="px-3 pt-3">
      <legend className="sr-only">{t('table.columns')}</legend>
      {columns.length > 0 ? (
        <ul aria-label={t('table.columns')} className="mb-2 flex flex-wrap gap-1.5">
          {columns.map((column) => (
            <Chip key={column.name} column={column} onRemove={() => remove(column)} />
          ))}
        </ul>
      ) : (
        <p className="mb-2 text-xs text-muted">{t('table.columns.note')}</p>
      )}
      {!isFull && (
        <div className="flex flex-wrap items-center gap-1.5">
          <input
            ref={input}
            autoFocus
            value={name}
            maxLength={NAME_CHARS}
            aria-label={t('table.column.name')}
            placeholder={t('table.column.name')}
            aria-invalid={isKnown || undefined}
            aria-describedby={isKnown ? 'column-known' : undefined}
            onChange={(event) => change({ name: event.target.value })}
            onKeyDown={onKeyDown}
            className={cx(INPUT, 'min-w-0 flex-1 basis-24')}
          />
          <select
            value={kind}
            aria-label={t('table.column.kind')}
            onChange={(event) => change({ kind: event.target.value as Kind })}
            className={cx(INPUT, 'max-w-32')}
          >
            {KINDS.map((one) => (
              <option key={one} value={one}>
                {t(`table.kind.${one}`)}
              </option>
            ))}
          </select>
          <IconButton
            small
            label={t('table.column.add')}
            disabled={name.trim() === '' || isKnown}
            onClick={add}
          >
            <Plus size={16} aria-hidden />
          </IconButton>
        </div>
      )}
      {isKnown && (
        <p id="column-known" role="alert" className="pt-1 text-xs text-danger">
          {t('table.column.known', { name: name.trim() })}
        </p>
      )}
    </fieldset>
  )
}

function Chip({ column, onRemove }: { column: Column; onRemove: () => void }) {
  const t = useWords(words)
  return (
    <li className="flex h-8 max-w-full items-center gap-1.5 rounded-md border border-line bg-s1 pl-2 text-xs">
      <span className="min-w-0 truncate">{column.name}</span>
      <span className="shrink-0 text-faint">{t(`table.kind.${column.kind}`)}</span>
      <button
        type="button"
        aria-label={t('table.column.remove', { name: column.name })}
        onClick={onRemove}
        className="touch flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:text-text"
      >
        <X size={14} aria-hidden />
      </button>
    </li>
  )
}
