import { useId } from 'react'
import type { Settings } from '@/api/types'
import { useWords } from '@/i18n'
import { Choice } from '@/ui/Choice'
import { Field } from '@/ui/Field'
import { Select } from '@/ui/Select'
import type { SettingName } from './fields'
import { useSetting } from './settingsDraft'
import { words } from './settingsWords'

interface Common {
  name: SettingName
  label: string
  settings: Settings
}

interface NumberProps extends Common {
  note?: string
  min?: number
  max?: number
  step?: number | 'any'
  /** Nothing is a value, too: there is no limit. */
  optional?: boolean
}

export function NumberSetting({
  name,
  label,
  settings,
  note,
  min,
  max,
  step = 1,
  optional = false,
}: NumberProps) {
  const t = useWords(words)
  const { text, fault, standard, change } = useSetting(name, settings)
  const usual = t('settings.default', { value: standard || t('settings.unlimited') })
  return (
    <Field
      type="number"
      inputMode="decimal"
      label={label}
      hint={[note, text !== standard && usual].filter(Boolean).join(' ')}
      error={fault}
      required={!optional}
      min={min}
      max={max}
      step={step}
      placeholder={optional ? t('settings.unlimited') : undefined}
      value={text}
      onChange={(event) => change(event.target.value)}
      className="sm:max-w-80"
    />
  )
}

/** One line, such as `pt-BR`; empty is a value, too. */
export function TextSetting({
  name,
  label,
  settings,
  note,
  placeholder,
}: Common & { note: string; placeholder?: string }) {
  const { text, fault, change } = useSetting(name, settings)
  return (
    <Field
      label={label}
      hint={note}
      error={fault}
      placeholder={placeholder}
      spellCheck={false}
      autoCapitalize="off"
      value={text}
      onChange={(event) => change(event.target.value)}
      className="sm:max-w-80"
    />
  )
}

export function HostsSetting({ name, label, settings, note }: Common & { note: string }) {
  const id = useId()
  const { text, fault, change } = useSetting(name, settings)
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <textarea
        id={id}
        rows={Math.min(Math.max(text.split('\n').length + 1, 3), 10)}
        spellCheck={false}
        autoCapitalize="off"
        aria-describedby={`${id}-note`}
        aria-invalid={fault ? true : undefined}
        value={text}
        onChange={(event) => change(event.target.value)}
        className="w-full resize-y rounded-md border border-strong bg-bg px-3 py-2 font-mono text-xs focus-visible:outline-offset-0"
      />
      <p
        id={`${id}-note`}
        role={fault ? 'alert' : undefined}
        className={fault ? 'text-xs text-danger' : 'text-xs text-muted'}
      >
        {fault ?? note}
      </p>
    </div>
  )
}

export function ChoiceSetting({
  name,
  label,
  settings,
  options,
}: Common & { options: { value: string; label: string }[] }) {
  const { text, change } = useSetting(name, settings)
  return <Choice label={label} options={options} value={text} onChange={change} />
}

interface SelectProps extends Common {
  note?: string
  options: { value: string; label: string; disabled?: boolean }[]
}

export function SelectSetting({ name, label, settings, note, options }: SelectProps) {
  const { text, change } = useSetting(name, settings)
  const isListed = options.some((option) => option.value === text)
  const all = isListed ? options : [{ value: text, label: text }, ...options]
  return (
    <Select className="max-w-md" label={label} note={note} options={all} value={text} onChange={change} />
  )
}
