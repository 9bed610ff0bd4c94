import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { api } from '@/api/client'
import { useLang, useWords } from '@/i18n'
import { Field } from '@/ui/Field'
import { Select } from '@/ui/Select'
import { words } from './automationWords'
import { atTime, dayName, DAYS, REPEATS, type Repeats, ruleOf, type When } from './dueRule'

interface Props {
  when: When
  onChange: (when: When) => void
  zone: string
  onZone: (zone: string) => void
}

/** How often, and the next times that follow from it. */
export function WhenFields({ when, onChange, zone, onZone }: Props) {
  const t = useWords(words)
  const { repeats } = when
  const change = (values: Partial<When>) => onChange({ ...when, ...values })
  return (
    <>
      <Select
        className="min-w-36 flex-1"
        label={t('auto.repeats')}
        options={REPEATS.map((value) => ({ value, label: t(`repeats.${value}`) }))}
        value={repeats}
        onChange={(value) => change({ repeats: value as Repeats })}
      />
      {repeats === 'weekly' && <Weekdays days={when.days} onChange={(days) => change({ days })} />}
      {repeats !== 'never' && (
        <div className="flex flex-wrap gap-3">
          {repeats === 'monthly' && (
            <Count label={t('auto.day')} max={31} value={when.day} onChange={(day) => change({ day })} />
          )}
          {repeats === 'hours' && (
            <Count
              label={t('auto.hours')}
              max={500}
              value={when.hours}
              onChange={(hours) => change({ hours })}
            />
          )}
          <Field
            type="time"
            required
            label={t('auto.time')}
            value={when.time}
            onChange={(event) => change({ time: event.target.value })}
          />
          <Field
            required
            label={t('auto.zone')}
            spellCheck={false}
            value={zone}
            onChange={(event) => onZone(event.target.value)}
            className="min-w-40 flex-1"
          />
        </div>
      )}
      {repeats === 'advanced' && (
        <Field
          required
          label={t('auto.rule')}
          hint={t('auto.rule.hint')}
          spellCheck={false}
          value={when.text}
          onChange={(event) => change({ text: event.target.value })}
        />
      )}
      <NextTimes rule={ruleOf(when)} zone={zone} />
    </>
  )
}

interface CountProps {
  label: string
  max: number
  value: number
  onChange: (value: number) => void
}

function Count({ label, max, value, onChange }: CountProps) {
  return (
    <Field
      type="number"
      required
      min={1}
      max={max}
      label={label}
      value={value || ''}
      onChange={(event) => onChange(Number(event.target.value))}
      className="w-36"
    />
  )
}

function Weekdays({ days, onChange }: { days: string[]; onChange: (days: string[]) => void }) {
  const t = useWords(words)
  const lang = useLang()
  const toggle = (day: string) =>
    onChange(days.includes(day) ? days.filter((one) => one !== day) : [...days, day])
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">{t('auto.days')}</legend>
      <div className="flex flex-wrap gap-1">
        {DAYS.map((day) => (
          <label
            key={day}
            title={dayName(day, lang, 'long')}
            className="touch flex h-8 min-w-10 items-center justify-center rounded-md border border-line px-2 text-sm text-muted has-checked:border-accent has-checked:bg-accent-soft has-checked:text-accent-text has-focus-visible:outline-2 has-focus-visible:outline-focus"
          >
            <input
              type="checkbox"
              className="sr-only"
              aria-label={dayName(day, lang, 'long')}
              checked={days.includes(day)}
              onChange={() => toggle(day)}
            />
            {dayName(day, lang)}
          </label>
        ))}
      </div>
      {days.length === 0 && <p className="mt-1 text-xs text-danger">{t('auto.days.none')}</p>}
    </fieldset>
  )
}

function NextTimes({ rule, zone }: { rule: string | null; zone: string }) {
  const t = useWords(words)
  const lang = useLang()
  const asked = useDeferredValue(rule ?? '')
  const { data, error } = useQuery({
    queryKey: ['preview', asked, zone],
    queryFn: () => api.previewRule(asked, zone),
    enabled: asked !== '' && zone !== '',
    retry: false,
    placeholderData: (before) => before,
  })
  if (rule === null) return null
  return (
    <div aria-live="polite" className="rounded-md bg-s2 px-3 py-2 text-sm">
      <p className="text-xs font-medium text-muted">{t('auto.preview')}</p>
      {error && <p className="wrap-anywhere text-danger">{error.message}</p>}
      {!error && data?.items.length === 0 && <p>{t('auto.preview.none')}</p>}
      {!error && data && (
        <ul className="tabular-nums">
          {data.items.map((at) => (
            <li key={at}>{atTime(at, zone, lang)}</li>
          ))}
        </ul>
      )}
    </div>
  )
}
