import { useId } from 'react'
import { useLang, useWords } from '@/i18n'
import { changeWords, type Counts, countWords } from '@/session/changeWords'
import { Badge } from '@/ui/Badge'

type Values = Record<string, unknown>

/** How the result of an automation's run differs from the last one, as the server keeps it with the answer. */
export interface Change {
  kind: 'first' | 'same' | 'changed'
  columns?: string[]
  added?: Values[]
  removed?: Values[]
  changed?: { before: Values; after: Values }[]
  counts?: Counts
}

type Sort = 'added' | 'removed' | 'changed'
const TONES = { added: 'ok', removed: 'danger', changed: 'warn' } as const

export function ResultChange({ change }: { change: Change }) {
  const t = useWords(changeWords)
  const id = useId()
  const { counts, columns = [] } = change
  const what = counts ? countWords(counts, t) : t(`change.${change.kind}`)
  const rows = rowsOf(change)
  const all = Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0)
  return (
    <div className="my-2 flex flex-col gap-1.5 text-sm">
      <p id={id} className="font-medium">
        {change.kind === 'first' ? t('change.begins') : t('change.since', { what })}
      </p>
      {rows.length > 0 && (
        <div
          role="region"
          aria-labelledby={id}
          tabIndex={0}
          className="overflow-x-auto rounded-md border border-line"
        >
          <table className="w-full text-left">
            <thead className="text-xs text-muted">
              <tr>
                {[t('change.sort'), ...columns].map((name, at) => (
                  <th key={at} scope="col" className="px-3 py-1.5 font-medium">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, at) => (
                <ChangeRow key={at} {...row} columns={columns} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {all > rows.length && (
        <p className="text-xs text-muted">{t('change.more', { n: all - rows.length })}</p>
      )}
    </div>
  )
}

interface Row {
  sort: Sort
  values: Values
  before?: Values
}

function ChangeRow({ sort, values, before, columns }: Row & { columns: string[] }) {
  const t = useWords(changeWords)
  const lang = useLang()
  const shown = (value: unknown) =>
    typeof value === 'number' ? value.toLocaleString(lang) : value == null ? '–' : String(value)
  return (
    <tr className="border-t border-line align-top">
      <td className="px-3 py-1.5">
        <Badge tone={TONES[sort]}>{t(`change.is.${sort}`)}</Badge>
      </td>
      {columns.map((name) => {
        const [old, now] = [before?.[name], values[name]]
        const isOther = before !== undefined && old !== now
        return (
          <td key={name} className="px-3 py-1.5 wrap-anywhere">
            {isOther && <del className="mr-1.5 text-muted">{shown(old)}</del>}
            {isOther ? <ins className="font-medium no-underline">{shown(now)}</ins> : shown(now)}
          </td>
        )
      })}
    </tr>
  )
}

const rowsOf = ({ added = [], removed = [], changed = [] }: Change): Row[] => [
  ...changed.map(({ before, after }) => ({ sort: 'changed' as const, values: after, before })),
  ...added.map((values) => ({ sort: 'added' as const, values })),
  ...removed.map((values) => ({ sort: 'removed' as const, values })),
]
