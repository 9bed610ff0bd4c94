import { useId } from 'react'
import type { Pending } from '@/api/types'
import { useWords } from '@/i18n'
import { kindWords, words } from '@/session/grants/grantWords'
import { startWords } from './startPlanWords'

interface Props {
  start: NonNullable<Pending['start']>
  /** Places of the effects that are allowed. */
  chosen: ReadonlySet<number>
  onChange: (chosen: ReadonlySet<number>) => void
}

/** What a run wants to do before it begins; no effect is allowed by the yes unless it is ticked. */
export function StartPlan({ start, chosen, onChange }: Props) {
  const t = useWords(startWords)
  const tell = useWords(words)
  const id = useId()
  const toggle = (at: number) => {
    const changed = new Set(chosen)
    if (!changed.delete(at)) changed.add(at)
    onChange(changed)
  }
  return (
    <>
      {start.plan.length > 0 ? (
        <ol className="list-decimal pl-5 text-sm marker:text-muted">
          {start.plan.map((step, at) => (
            <li key={at} className="py-0.5 wrap-anywhere">
              {step}
            </li>
          ))}
        </ol>
      ) : (
        <p className="text-sm text-muted">{t('start.none')}</p>
      )}
      {start.effects.length > 0 ? (
        <fieldset className="flex min-w-0 flex-col" aria-describedby={id}>
          <legend className="text-sm font-medium">{t('start.effects')}</legend>
          {start.effects.map(({ site, kind, count }, at) => (
            <label key={at} className="touch flex min-h-8 items-center gap-2 text-sm">
              <input
                type="checkbox"
                checked={chosen.has(at)}
                onChange={() => toggle(at)}
                className="size-4 shrink-0 accent-accent"
              />
              <span className="min-w-0 wrap-anywhere">
                {t('start.effect', { n: count, kind: kindWords(kind, tell) })}{' '}
                <strong className="font-medium">{site}</strong>
              </span>
            </label>
          ))}
          <p id={id} className="text-xs text-muted">
            {t('start.outside')}
          </p>
        </fieldset>
      ) : (
        <p className="text-sm text-muted">{t('start.effects.none')}</p>
      )}
    </>
  )
}
