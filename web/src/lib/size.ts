const UNITS = ['byte', 'kilobyte', 'megabyte'] as const

/** `12 kB`, `8 bytes`. */
export function sizeOf(bytes: number, lang: string): string {
  const power = bytes < 1000 ? 0 : bytes < 1_000_000 ? 1 : 2
  const format = {
    style: 'unit',
    unit: UNITS[power],
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power === 2 ? 1 : 0,
  } as const
  return new Intl.NumberFormat(lang, format).format(bytes / 1000 ** power)
}
