import { GitBranch, Hand, ListChecks, Play } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useLang, useWords, wordbook } from '@/i18n'
import { duration } from '@/lib/numbers'
import { pageOf } from '@/lib/url'
import type { ActivityRow } from '@/stream/rows'
import { Rail } from '@/ui/Rail'

const words = wordbook('activityLine', {
  drove: 'You drove the browser for {time}',
  someone: 'Someone drove the browser for {time}',
  resumed: 'You resumed it after {time}',
  plan: 'You changed the plan',
  'plan.added': 'Added:',
  'plan.removed': 'Removed:',
  'plan.order': 'The steps have another order.',
  branched: 'Branched from',
  'branched.untitled': 'another session',
})

/** What the user did besides writing, or where the session comes from. */
export function ActivityLine({ row: { what } }: { row: ActivityRow }) {
  const t = useWords(words)
  const lang = useLang()
  switch (what.kind) {
    case 'drove':
      return (
        <Line
          icon={<Hand size={15} />}
          text={t(what.was_handed_off ? 'someone' : 'drove', { time: duration(1000 * what.seconds, lang) })}
        >
          <Items items={(what.pages ?? []).map((page) => pageOf(page) ?? page)} />
        </Line>
      )
    case 'resumed':
      return (
        <Line icon={<Play size={15} />} text={t('resumed', { time: duration(1000 * what.seconds, lang) })} />
      )
    case 'plan_edited': {
      const added = what.plan.filter((step) => !what.before.includes(step))
      const removed = what.before.filter((step) => !what.plan.includes(step))
      return (
        <Line icon={<ListChecks size={15} />} text={t('plan')}>
          <Items label={t('plan.added')} items={added} />
          <Items label={t('plan.removed')} items={removed} />
          {added.length + removed.length === 0 && <p>{t('plan.order')}</p>}
        </Line>
      )
    }
    case 'branched':
      return (
        <Line
          icon={<GitBranch size={15} />}
          text={
            <>
              {t('branched')}{' '}
              <Link href={`/s/${what.session_id}`} className="font-medium text-accent-text hover:underline">
                {what.title || t('branched.untitled')}
              </Link>
            </>
          }
        />
      )
  }
}

function Line({ icon, text, children }: { icon: ReactNode; text: ReactNode; children?: ReactNode }) {
  return (
    <Rail icon={<span className="text-muted">{icon}</span>}>
      <p className="flex min-h-8 items-center text-sm wrap-anywhere">
        <span>{text}</span>
      </p>
      {children && <div className="flex flex-col gap-0.5 pb-1.5 text-xs text-muted">{children}</div>}
    </Rail>
  )
}

function Items({ label, items }: { label?: string; items: string[] }) {
  if (items.length === 0) return null
  return (
    <p className="wrap-anywhere">
      {label} {items.join(' · ')}
    </p>
  )
}
