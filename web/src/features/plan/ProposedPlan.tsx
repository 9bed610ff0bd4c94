import { Sparkles } from 'lucide-react'
import { useId, useRef } from 'react'
import { useT } from '@/i18n'
import { cx } from '@/lib/cx'
import { Button } from '@/ui/Button'
import type { Plan } from './usePlan'

/** The agent's own proposal after the user edited the plan: followed when they accept it. */
export function ProposedPlan({ plan }: { plan: Plan }) {
  const t = useT()
  const id = useId()
  const section = useRef<HTMLElement>(null)
  /** The buttons go away with the proposal; the keyboard stays in the panel. */
  const then = (act: () => void) => () => {
    section.current?.closest<HTMLElement>('[role=tabpanel]')?.focus()
    act()
  }
  return (
    <section
      ref={section}
      aria-labelledby={id}
      className="flex flex-col gap-2 rounded-lg border border-accent bg-accent-soft p-3"
    >
      <h3 id={id} className="flex items-center gap-2 text-sm font-medium text-text">
        <Sparkles size={15} aria-hidden className="shrink-0 text-accent-text" />
        {t('plan.proposed')}
      </h3>
      <p className="text-xs text-muted">{t('plan.proposed.why')}</p>
      <ol className="flex list-decimal flex-col gap-1 pl-5 text-sm">
        {plan.proposed.map((text, index) => (
          <li
            key={`${index}-${text}`}
            className={cx('wrap-anywhere', !plan.plan.includes(text) && 'font-medium')}
          >
            {text}
          </li>
        ))}
      </ol>
      <div className="flex flex-wrap gap-2 pt-1">
        <Button small tone="primary" onClick={then(plan.accept)}>
          {t('plan.accept')}
        </Button>
        <Button small onClick={then(plan.dismiss)}>
          {t('plan.dismiss')}
        </Button>
      </div>
    </section>
  )
}
