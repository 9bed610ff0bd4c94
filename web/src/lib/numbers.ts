/** `12.4K`. */
export const compact = (value: number, lang: string): string =>
  new Intl.NumberFormat(lang, { notation: 'compact', maximumFractionDigits: 1 }).format(value)

export const whole = (value: number, lang: string): string => new Intl.NumberFormat(lang).format(value)

export function money(value: number, lang: string): string {
  const digits = value !== 0 && value < 0.01 ? 4 : 2
  const format = { style: 'currency', currency: 'USD', maximumFractionDigits: digits } as const
  return new Intl.NumberFormat(lang, format).format(value)
}

/** `0.4s`, `12s`, `3m 5s`. */
export function duration(ms: number, lang: string): string {
  const seconds = ms / 1000
  const unit = (value: number, name: 'second' | 'minute', digits = 0) =>
    new Intl.NumberFormat(lang, {
      style: 'unit',
      unit: name,
      unitDisplay: 'narrow',
      maximumFractionDigits: digits,
    }).format(value)
  if (seconds < 10) return unit(seconds, 'second', 1)
  if (seconds < 60) return unit(Math.floor(seconds), 'second')
  return `${unit(Math.floor(seconds / 60), 'minute')} ${unit(Math.floor(seconds % 60), 'second')}`
}
