import { Link } from 'wouter'
import { useConfig } from '@/api/queries'
import type { Session, Usage } from '@/api/types'
import { useLang, useWords } from '@/i18n'
import { cx } from '@/lib/cx'
import { duration, money, whole } from '@/lib/numbers'
import { useNow } from '@/lib/time'
import { stepsTaken } from '@/stream/live'
import { useLive } from '@/stream/store'
import { isNear } from './near'
import { words } from './usageWords'

interface Props {
  session: Session | undefined
}

/** What the run took so far of what it may take, and what the session took in all. */
export default function UsageDetails({ session }: Props) {
  const t = useWords(words)
  const lang = useLang()
  const usage = useLive((state) => state.usage)
  const limits = useConfig()?.limits
  const tokens = usage ? sum(usage) : 0
  // The session's own status says whether its sum has the run in it: the stream ends before the sum arrives.
  const isSummed = session?.status === 'idle' || session?.status === 'error'
  const all = tokensAndCost([session?.usage ?? null, isSummed ? null : usage])
  return (
    <div className="tabular flex flex-col gap-3 text-sm">
      <h3 className="text-2xs font-medium text-faint">{t('usage.run')}</h3>
      <Steps />
      <Measure
        name={t('usage.tokens.all')}
        value={tokens}
        limit={limits?.token_budget}
        show={(n) => whole(n, lang)}
      />
      {usage?.cost != null ? (
        <Measure
          name={t('usage.cost')}
          value={usage.cost}
          limit={limits?.cost_budget}
          show={(n) => money(n, lang)}
        />
      ) : (
        <Line name={t('usage.cost')} value={t('usage.cost.unknown')} />
      )}
      <Time />
      {usage && <Split usage={usage} />}
      <Models models={usage?.models} />
      {all.tokens > 0 && (
        <div className="flex flex-col gap-1 border-t border-line pt-3">
          <h3 className="text-2xs font-medium text-faint">{t('usage.session')}</h3>
          <Line name={t('usage.tokens.all')} value={whole(all.tokens, lang)} />
          {all.cost !== null && <Line name={t('usage.cost')} value={money(all.cost, lang)} />}
          <Models models={session?.usage.models} />
        </div>
      )}
      <Link href="/settings/limits" className="text-xs text-accent-text underline underline-offset-2">
        {t('usage.limits')}
      </Link>
    </div>
  )
}

const sum = (usage: Partial<Usage>): number => (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0)

function tokensAndCost(parts: (Usage | null)[]): { tokens: number; cost: number | null } {
  const known = parts.filter((part) => part !== null)
  const costs = known.flatMap(({ cost }) => cost ?? [])
  const add = (numbers: number[]) => numbers.reduce((one, other) => one + other, 0)
  return { tokens: add(known.map(sum)), cost: costs.length > 0 ? add(costs) : null }
}

function Steps() {
  const t = useWords(words)
  const lang = useLang()
  const step = useLive(stepsTaken)
  const limit = useLive((state) => state.run?.maxSteps)
  return <Measure name={t('usage.steps')} value={step} limit={limit} show={(n) => whole(n, lang)} />
}

function Time() {
  const t = useWords(words)
  const lang = useLang()
  const now = useNow(1000)
  const started = useLive((state) => state.run?.startedAt)
  const finished = useLive((state) => state.run?.finishedAt)
  if (!started) return null
  const end = finished ? Date.parse(finished) : now
  return <Line name={t('usage.time')} value={duration(Math.max(0, end - Date.parse(started)), lang)} />
}

function Split({ usage }: { usage: Usage }) {
  const t = useWords(words)
  const lang = useLang()
  const shown = [
    `${t('usage.in')} ${whole(usage.input_tokens, lang)}`,
    usage.cached_tokens > 0 && `${t('usage.cached')} ${whole(usage.cached_tokens, lang)}`,
    `${t('usage.out')} ${whole(usage.output_tokens, lang)}`,
    `${t('usage.calls')} ${whole(usage.model_calls, lang)}`,
  ]
  return <p className="text-xs text-muted">{shown.filter(Boolean).join(' · ')}</p>
}

/** What of it the second model has used. */
function Models({ models }: { models: Usage['models'] }) {
  const t = useWords(words)
  const lang = useLang()
  return Object.entries(models ?? {}).map(([model, part]) => {
    const cost = part.cost == null ? t('usage.cost.unknown') : money(part.cost, lang)
    const used = `${whole(sum(part), lang)} · ${cost}`
    return (
      <p key={model} className="text-xs wrap-anywhere text-muted">
        {t('usage.second', { model, used })}
      </p>
    )
  })
}

const Line = ({ name, value }: { name: string; value: string }) => (
  <p className="flex justify-between gap-4">
    <span className="text-muted">{name}</span>
    {value}
  </p>
)

interface MeasureProps {
  name: string
  value: number
  limit: number | null | undefined
  show: (value: number) => string
}

/** A value against its limit; near it, in words and colour. */
function Measure({ name, value, limit, show }: MeasureProps) {
  const t = useWords(words)
  const lang = useLang()
  if (!limit) return <Line name={name} value={show(value)} />
  const near = isNear(value, limit)
  const percent = new Intl.NumberFormat(lang, { style: 'percent' }).format(value / limit)
  return (
    <div className="flex flex-col gap-1">
      <Line name={name} value={t('usage.of', { n: show(value), of: show(limit) })} />
      <div
        role="meter"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(value, limit)}
        className="h-1 overflow-hidden rounded-full bg-s3"
      >
        <div
          className={cx('h-full rounded-full', near ? 'bg-warn' : 'bg-accent')}
          style={{ width: `${Math.min(100, (100 * value) / limit)}%` }}
        />
      </div>
      {near && <p className="text-xs font-medium text-warn">{t('usage.near', { percent })}</p>}
    </div>
  )
}
