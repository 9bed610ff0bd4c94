import { Check, Copy } from 'lucide-react'
import type { Token, Tokens } from 'marked'
import { type ReactNode, useRef } from 'react'
import { useT } from '@/i18n'
import { useCopy } from '../copy'
import { directionOf } from '../direction'
import { sheetOf } from '../sheet'

interface Props {
  table: Tokens.Table
  inline: (tokens: Token[]) => ReactNode
}

/** Scrolls in itself, and is copied as cells. */
export function MarkdownTable({ table: { header, rows, raw }, inline }: Props) {
  const t = useT()
  const table = useRef<HTMLTableElement>(null)
  const [copied, copy] = useCopy()
  return (
    <div className="md-table">
      <div className="md-table-scroll" tabIndex={0} role="group" aria-label={t('table.one')}>
        <table ref={table} dir={directionOf(raw)}>
          <thead>
            <tr>{header.map((cell, index) => cellOf('th', cell, index, inline))}</tr>
          </thead>
          <tbody>
            {rows.map((row, line) => (
              <tr key={line}>{row.map((cell, index) => cellOf('td', cell, index, inline))}</tr>
            ))}
          </tbody>
        </table>
      </div>
      <button
        type="button"
        aria-label={copied ? t('copied') : t('table.copy')}
        title={t('table.copy')}
        onClick={() => table.current && copy(sheetOf(table.current))}
        className="md-table-copy touch"
      >
        {copied ? <Check size={13} aria-hidden /> : <Copy size={13} aria-hidden />}
      </button>
    </div>
  )
}

function cellOf(
  Cell: 'th' | 'td',
  { align, tokens }: Tokens.TableCell,
  key: number,
  inline: Props['inline'],
) {
  return (
    <Cell key={key} dir="auto" style={{ textAlign: align ?? undefined }}>
      {inline(tokens)}
    </Cell>
  )
}
