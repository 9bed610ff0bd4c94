import { X } from 'lucide-react'
import type { PointedPlace } from '@/api/types'
import { useWords } from '@/i18n'
import { roleWords } from '@/session/roleWords'
import { type Mark, useMarks, usePointing } from './pointMarks'
import { words } from './pointingWords'

/** What a mark is on, as in `button "Add to basket" (Blue kettle)`. */
export function useMarkLabel(): (place: Pick<PointedPlace, 'target'>) => string {
  const t = useWords(words)
  const roleOf = useWords(roleWords) as (role: string) => string
  return ({ target }) => {
    if (!target) return t('point.place')
    const near = target.near?.[0]
    return [roleOf(target.role), target.name && `"${target.name}"`, near && `(${near})`]
      .filter(Boolean)
      .join(' ')
  }
}

/** What goes with the next message. */
export function PointerChips({ sessionId }: { sessionId: string }) {
  const t = useWords(words)
  const labelOf = useMarkLabel()
  const marks = useMarks(sessionId)
  const keep = usePointing((state) => state.keep)
  if (marks.length === 0) return null
  const remove = (mark: Mark) =>
    keep(
      sessionId,
      marks.filter((other) => other !== mark),
    )
  return (
    <ul aria-label={t('point.pointed')} className="flex flex-wrap gap-1.5 px-3 pt-3">
      {marks.map((mark) => (
        <li key={mark.n} title={mark.note} className={CHIP}>
          <PointNumber n={mark.n} />
          <span className="min-w-0 truncate">{labelOf(mark)}</span>
          <button
            type="button"
            aria-label={t('point.remove', { n: mark.n })}
            onClick={() => remove(mark)}
            className="touch flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:text-text"
          >
            <X size={14} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
}

/** What a message pointed at. */
export function PointedList({ places }: { places: readonly PointedPlace[] }) {
  const t = useWords(words)
  const labelOf = useMarkLabel()
  if (places.length === 0) return null
  return (
    <ul aria-label={t('point.pointed')} className="flex max-w-[86%] flex-wrap justify-end gap-1.5 pt-1">
      {places.map((place) => (
        <li key={place.n} title={place.url} className={`${CHIP} pr-2`}>
          <PointNumber n={place.n} />
          <span className="min-w-0 truncate">
            {labelOf(place)}
            {place.note && ` – ${place.note}`}
          </span>
        </li>
      ))}
    </ul>
  )
}

const CHIP = 'flex h-8 max-w-full items-center gap-1.5 rounded-md border border-line bg-s1 pl-1.5 text-xs'

export function PointNumber({ n }: { n: number }) {
  return (
    <span className="tabular flex size-5 shrink-0 items-center justify-center rounded-full bg-accent text-2xs font-bold text-on-accent">
      {n}
    </span>
  )
}
