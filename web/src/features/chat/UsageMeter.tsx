import { useLang, useT } from '@/i18n'
import { cx } from '@/lib/cx'
import { compact, money, whole } from '@/lib/numbers'
import { stepsTaken } from '@/stream/live'
import { useLive } from '@/stream/store'
import { Tooltip } from '@/ui/Tooltip'

const NEAR_LIMIT = 0.8

export function UsageMeter() {
  const t = useT()
  const lang = useLang()
  const usage = useLive((state) => state.usage)
  const tokens = usage ? usage.input_tokens + usage.output_tokens : 0
  const exact = usage && t('usage.exact', {
    in: whole(usage.input_tokens, lang),
    out: whole(usage.output_tokens, lang),
    cached: whole(usage.cached_tokens, lang),
    calls: whole(usage.model_calls, lang),
  })
  const spent = t('usage.tokens', { n: compact(tokens, lang) })
  const shown = usage?.cost != null ? `${spent} · ${money(usage.cost, lang)}` : spent
  return (
    <div className="tabular flex items-center gap-3 text-xs whitespace-nowrap text-muted">
      <StepMeter />
      {tokens > 0 && (
        <Tooltip text={exact}>
          <button type="button" aria-label={`${shown}. ${exact}`} className="touch hidden rounded-md md:block">
            {shown}
          </button>
        </Tooltip>
      )}
    </div>
  )
}

function StepMeter() {
  const t = useT()
  const step = useLive(stepsTaken)
  const limit = useLive((state) => state.run?.maxSteps ?? null)
  if (step === 0 || limit === null) return null
  const isNear = step >= limit * NEAR_LIMIT
  return (
    <span
      className={cx('flex items-center gap-2', isNear && 'font-medium text-warn')}
      title={isNear ? t('step.near', { left: Math.max(0, limit - step) }) : undefined}
    >
      {t('step', { n: step, of: limit })}
      {isNear && step < limit && <span className="hidden md:inline">{t('step.near', { left: limit - step })}</span>}
    </span>
  )
}
