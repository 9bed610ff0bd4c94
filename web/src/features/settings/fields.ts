import type { SettingValues } from '@/api/types'

export type SettingName = keyof SettingValues

/** How a setting is written in a form and read from it; null stands for nothing. */
interface Spec<V> {
  show(value: V): string
  read(text: string): V | null
}

const number: Spec<number | null> = {
  show: (value) => (value === null ? '' : String(value)),
  read: (text) => (text.trim() === '' ? null : Number(text)),
}

const minutes: Spec<number> = {
  show: (seconds) => String(Math.round(seconds / 6) / 10),
  read: (text) => (text.trim() === '' ? null : Number(text) * 60),
}

const lines: Spec<string[]> = {
  show: (values) => values.join('\n'),
  read: (text) => text.split(/[\s,]+/).filter(Boolean),
}

const choice: Spec<boolean | null> = {
  show: (value) => (value === null ? 'auto' : String(value)),
  read: (text) => (text === 'auto' ? null : text === 'true'),
}

const word = <V extends string>(): Spec<V> => ({ show: (value) => value, read: (text) => text as V })

const text: Spec<string | null> = {
  show: (value) => value ?? '',
  read: (text) => text.trim() || null,
}

export const SPECS: { [K in SettingName]: Spec<SettingValues[K]> } = {
  agent_model: word(),
  default_agent: word(),
  max_tool_steps: number as Spec<number>,
  run_timeout: minutes,
  token_budget: number as Spec<number>,
  cost_budget: number,
  vision: word(),
  decision_timeout: minutes,
  allowed_hosts: lines,
  blocked_hosts: lines,
  browser_profile: word(),
  browser_headless: choice,
  max_browsers: number as Spec<number>,
  retention_days: number,
  time_zone: text,
  locale: text,
}

export const shown = <K extends SettingName>(name: K, values: SettingValues): string =>
  SPECS[name].show(values[name])
