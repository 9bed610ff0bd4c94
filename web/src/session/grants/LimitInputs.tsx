import { useWords } from '@/i18n'
import { dayOf } from '@/lib/time'
import { Field } from '@/ui/Field'
import { words } from './grantWords'
import type { LimitFields } from './limits'

interface Props {
  limits: LimitFields
  /** Of the amounts; without one they cannot be limited. */
  currency: string | null
  onChange: (limits: LimitFields) => void
}

/** How often, until when and up to which amount something is allowed. */
export function LimitInputs({ limits, currency, onChange }: Props) {
  const t = useWords(words)
  const set = (name: keyof LimitFields) => (event: { target: { value: string } }) =>
    onChange({ ...limits, [name]: event.target.value })
  const today = dayOf(new Date())
  return (
    <div className="flex flex-wrap items-end gap-3">
      <Field
        type="number"
        min={1}
        max={1_000_000}
        label={t('limit.count')}
        value={limits.count}
        onChange={set('count')}
        className="min-w-40 flex-1"
      />
      <Field
        type="date"
        min={today}
        label={t('limit.end')}
        value={limits.end}
        onChange={set('end')}
        className="min-w-40 flex-1"
      />
      {currency &&
        (['act', 'month'] as const).map((name) => (
          <Field
            key={name}
            type="number"
            min={0.01}
            step="any"
            inputMode="decimal"
            label={t(`limit.${name}`, { currency })}
            value={limits[name]}
            onChange={set(name)}
            className="min-w-40 flex-1"
          />
        ))}
      {currency && <p className="w-full text-xs text-muted">{t('limit.amount.hint')}</p>}
    </div>
  )
}
