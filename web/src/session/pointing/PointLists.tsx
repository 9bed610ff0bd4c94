import { X } from 'lucide-react'
import { useState } from 'react'
import type { PointedElement } from '@/api/types'
import { useWords } from '@/i18n'
import { INPUT } from '@/ui/Field'
import { IconButton } from '@/ui/IconButton'
import { type Mark, NOTE_CHARS } from './pointMarks'
import { PointNumber, useMarkLabel } from './PointerChips'
import { words } from './pointingWords'

interface MarksProps {
  marks: readonly Mark[]
  onChange: (marks: Mark[]) => void
}

/** The marks, each with a field for a note. */
export function MarkList({ marks, onChange }: MarksProps) {
  const t = useWords(words)
  const labelOf = useMarkLabel()
  if (marks.length === 0) return <p className="p-3 text-sm text-muted">{t('point.hint')}</p>
  return (
    <ol aria-label={t('point.marks')} className="flex flex-col gap-2 p-3">
      {marks.map((mark) => (
        <li key={mark.n} className="flex flex-col gap-1">
          <div className="flex items-center gap-1.5 text-sm">
            <PointNumber n={mark.n} />
            <span className="min-w-0 flex-1 truncate">{labelOf(mark)}</span>
            <IconButton
              small
              label={t('point.remove', { n: mark.n })}
              onClick={() => onChange(marks.filter((other) => other !== mark))}
            >
              <X size={14} aria-hidden />
            </IconButton>
          </div>
          <input
            dir="auto"
            maxLength={NOTE_CHARS}
            aria-label={t('point.note', { n: mark.n })}
            placeholder={t('point.note.hint')}
            value={mark.note ?? ''}
            onChange={({ target }) =>
              onChange(marks.map((other) => (other === mark ? { ...mark, note: target.value } : other)))
            }
            className={`${INPUT} touch`}
          />
        </li>
      ))}
    </ol>
  )
}

interface ElementsProps {
  elements: readonly PointedElement[]
  onLight: (element: PointedElement | null) => void
  onPick: (element: PointedElement) => void
}

/** What is on the page, for those who use no pointer. */
export function PointElements({ elements, onLight, onPick }: ElementsProps) {
  const t = useWords(words)
  const labelOf = useMarkLabel()
  const [filter, setFilter] = useState('')
  const named = elements.map((element) => {
    const { role, name, near } = element
    return { element, label: labelOf({ target: { role, name, near } }) }
  })
  const wanted = filter.trim().toLowerCase()
  return (
    <section aria-label={t('point.list')} className="flex flex-col gap-1 border-t border-line p-2">
      <h3 className="px-1 text-xs font-medium text-muted">{t('point.list')}</h3>
      <input
        type="search"
        aria-label={t('point.filter')}
        placeholder={t('point.filter')}
        value={filter}
        onChange={({ target }) => setFilter(target.value)}
        className={`${INPUT} touch`}
      />
      <ul>
        {named
          .filter(({ label }) => label.toLowerCase().includes(wanted))
          .map(({ element, label }) => (
            <li key={element.id}>
              <button
                type="button"
                onFocus={() => onLight(element)}
                onBlur={() => onLight(null)}
                onPointerEnter={() => onLight(element)}
                onPointerLeave={() => onLight(null)}
                onClick={() => onPick(element)}
                className="touch flex min-h-8 w-full items-center rounded-md px-1.5 text-start text-sm hover:bg-s2"
              >
                <span className="min-w-0 flex-1 truncate">{label}</span>
              </button>
            </li>
          ))}
      </ul>
    </section>
  )
}
