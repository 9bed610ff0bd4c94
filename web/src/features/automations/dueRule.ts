/** How often: the simple rules of the form, and all others as their text. */
export type Repeats = 'daily' | 'weekdays' | 'weekly' | 'monthly' | 'hours' | 'advanced' | 'never'

export const REPEATS: Repeats[] = ['daily', 'weekdays', 'weekly', 'monthly', 'hours', 'advanced', 'never']
export const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const
const WEEKDAYS = 'MO,TU,WE,TH,FR'

export interface When {
  repeats: Repeats
  /** `08:00`. */
  time: string
  days: string[]
  /** Of the month. */
  day: number
  hours: number
  /** `20260105`: the day that the rule begins at. */
  from: string
  /** The RRULE line's value, where no simple rule says it. */
  text: string
}

export const usualWhen = (now: Date): When => ({
  repeats: 'daily',
  time: '08:00',
  days: ['MO'],
  day: 1,
  hours: 6,
  from: `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`,
  text: 'FREQ=DAILY;INTERVAL=2',
})

const two = (value: number) => String(value).padStart(2, '0')

function valueOf({ repeats, days, day, hours, text }: When): string {
  if (repeats === 'daily') return 'FREQ=DAILY'
  if (repeats === 'weekdays') return `FREQ=WEEKLY;BYDAY=${WEEKDAYS}`
  if (repeats === 'weekly') return `FREQ=WEEKLY;BYDAY=${DAYS.filter((one) => days.includes(one)).join(',')}`
  if (repeats === 'monthly') return `FREQ=MONTHLY;BYMONTHDAY=${day}`
  if (repeats === 'hours') return `FREQ=HOURLY;INTERVAL=${hours}`
  return text.trim().replace(/^RRULE:/i, '')
}

/** The rule as the server takes it; null if nothing is due by time. */
export function ruleOf(when: When): string | null {
  if (when.repeats === 'never') return null
  return `DTSTART:${when.from}T${when.time.replace(':', '')}00\nRRULE:${valueOf(when)}`
}

/** The fields of the form that say this rule. */
export function whenOf(rule: string | null, now: Date): When {
  const usual = usualWhen(now)
  if (rule === null) return { ...usual, repeats: 'never' }
  const [, from, hour, minute] = /DTSTART:(\d{8})T(\d\d)(\d\d)/.exec(rule) ?? []
  const text = /RRULE:(\S+)/.exec(rule)?.[1] ?? ''
  const when = { ...usual, from: from ?? usual.from, time: hour ? `${hour}:${minute}` : usual.time, text }
  const [, days] = /^FREQ=WEEKLY;BYDAY=((?:[A-Z]{2},?)+)$/.exec(text) ?? []
  const [, day] = /^FREQ=MONTHLY;BYMONTHDAY=(\d+)$/.exec(text) ?? []
  const [, hours] = /^FREQ=HOURLY;INTERVAL=(\d+)$/.exec(text) ?? []
  if (text === 'FREQ=DAILY') return { ...when, repeats: 'daily' }
  if (days === WEEKDAYS) return { ...when, repeats: 'weekdays' }
  if (days) return { ...when, repeats: 'weekly', days: days.split(',') }
  if (day) return { ...when, repeats: 'monthly', day: Number(day) }
  if (hours) return { ...when, repeats: 'hours', hours: Number(hours) }
  return { ...when, repeats: 'advanced' }
}

/** The name of a day of the week. */
export function dayName(day: string, lang: string, style: 'short' | 'long' = 'short'): string {
  const monday = Date.UTC(2026, 0, 5)
  const at = monday + DAYS.indexOf(day as (typeof DAYS)[number]) * 86_400_000
  return new Intl.DateTimeFormat(lang, { weekday: style, timeZone: 'UTC' }).format(at)
}

/** A due time in the automation's zone. */
export const atTime = (at: string, zone: string, lang: string): string =>
  new Intl.DateTimeFormat(lang, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: zone,
  }).format(new Date(at))
