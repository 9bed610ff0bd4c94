import { lazy, Suspense } from 'react'
import { useConfig } from '@/api/queries'
import type { Session } from '@/api/types'
import { useLang, useT, useWords } from '@/i18n'
import { cx } from '@/lib/cx'
import { compact, money, whole } from '@/lib/numbers'
import { stepsTaken } from '@/stream/live'
import { useLive } from '@/stream/store'
import { Popover } from '@/ui/Popover'
import { isNear } from './near'
import { words } from './usageWords'

const UsageDetails = lazy(() => import('./UsageDetails'))

/** Steps, tokens and cost of the run on one line; a click shows the details. */
export function UsageMeter({ session }: { session: Session | undefined }) {
  const t = useT()
  const lang = useLang()
  const usage = useLive((state) => state.usage)
  const step = useLive(stepsTaken)
  const limit = useLive((state) => state.run?.maxSteps ?? null)
  const hasSteps = step > 0 && limit !== null
  const tokens = usage ? usage.input_tokens + usage.output_tokens : 0
  if (!hasSteps && tokens === 0) return null

  const exact =
    usage &&
    t('usage.exact', {
      in: whole(usage.input_tokens, lang),
      out: whole(usage.output_tokens, lang),
      cached: whole(usage.cached_tokens, lang),
      calls: whole(usage.model_calls, lang),
    })
  const cost = usage?.cost != null && money(usage.cost, lang)
  const spent = t('usage.tokens', { n: compact(tokens, lang) })
  return (
    <Popover
      label={t('usage')}
      className="touch tabular flex h-8 shrink-0 items-center gap-3 rounded-md px-1.5 text-xs whitespace-nowrap text-muted hover:bg-s2"
      trigger={
        <>
          {hasSteps && <Steps step={step} limit={limit} />}
          {tokens > 0 && (
            <Spent
              tokens={tokens}
              cost={usage?.cost ?? null}
              text={[spent, cost].filter(Boolean).join(' · ')}
            />
          )}
          <span className="sr-only">{exact}</span>
        </>
      }
    >
      {() => (
        <Suspense>
          <UsageDetails session={session} />
        </Suspense>
      )}
    </Popover>
  )
}

/** The limit is named where it matters: near it, and where there is no room for words. */
function Steps({ step, limit }: { step: number; limit: number }) {
  const t = useWords(words)
  const near = isNear(step, limit)
  return (
    <span className={cx('flex items-center gap-2', near && 'font-medium text-warn')}>
      <span className="max-md:sr-only">
        {near ? t('step.of', { n: step, of: limit }) : t('step', { n: step })}
      </span>
      <span aria-hidden className="md:hidden">
        {step}/{limit}
      </span>
      {near && step < limit && (
        <span className="hidden md:inline">{t('step.near', { left: limit - step })}</span>
      )}
    </span>
  )
}

function Spent({ tokens, cost, text }: { tokens: number; cost: number | null; text: string }) {
  const t = useWords(words)
  const lang = useLang()
  const limits = useConfig()?.limits
  const used = Math.max(share(tokens, limits?.token_budget), share(cost ?? 0, limits?.cost_budget))
  const percent = new Intl.NumberFormat(lang, { style: 'percent' }).format(used)
  const near = isNear(used, 1)
  return (
    <span className={cx('flex gap-2', near && 'font-medium text-warn')}>
      <span className="hidden md:inline">{text}</span>
      {near && t('usage.near', { percent })}
    </span>
  )
}

/** The used share of a limit; 0 if there is no limit. */
const share = (value: number, limit: number | null | undefined): number => (limit ? value / limit : 0)
