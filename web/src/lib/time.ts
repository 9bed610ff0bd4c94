import { useSyncExternalStore } from 'react'

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** The zone of this browser. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'

let shownZone: string | undefined

/** Show all times in this zone; null: in this browser's. */
export function showZone(zone: string | null): void {
  shownZone = zone ?? undefined
}

/** The zone of the times that are shown. */
export const zoneOfTimes = (): string => shownZone ?? ownZone()

/** A format of times in the person's zone. */
export const timeFormat = (lang: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(lang, { timeZone: shownZone, ...options })

/** `2026-11-28` */
export const dayOf = (at: Date): string => timeFormat('sv', { dateStyle: 'short' }).format(at)

export function relative(at: Date, now: Date, lang: string): string {
  const seconds = (at.getTime() - now.getTime()) / 1000
  const format = new Intl.RelativeTimeFormat(lang, { numeric: 'auto', style: 'short' })
  if (Math.abs(seconds) > 7 * 86_400) return timeFormat(lang, { day: 'numeric', month: 'short' }).format(at)
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit)
  }
  return format.format(0, 'second')
}

export function exact(at: Date, lang: string): string {
  return timeFormat(lang, { dateStyle: 'medium', timeStyle: 'medium' }).format(at)
}

export function clock(at: Date, lang: string): string {
  return timeFormat(lang, { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(at)
}

/** `9:05`, `1:02:03`. */
export function countdown(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const parts = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  const shown = parts[0] ? parts : parts.slice(1)
  return shown.map((part, index) => (index ? String(part).padStart(2, '0') : String(part))).join(':')
}

export type Age = 'pinned' | 'today' | 'yesterday' | 'week' | 'older'

export function ageOf(at: Date, now: Date): Age {
  const days = (Date.parse(dayOf(now)) - Date.parse(dayOf(at))) / 86_400_000
  if (days <= 0) return 'today'
  if (days === 1) return 'yesterday'
  return days <= 7 ? 'week' : 'older'
}

interface Beat {
  now: () => number
  subscribe: (tell: () => void) => () => void
}

const beats = new Map<number, Beat>()

/** One timer for all that tick alike. */
function beatOf(every: number): Beat {
  const known = beats.get(every)
  if (known) return known
  let now = Date.now()
  const listeners = new Set<() => void>()
  setInterval(() => {
    now = Date.now()
    for (const tell of listeners) tell()
  }, every)
  const subscribe = (tell: () => void) => {
    listeners.add(tell)
    return () => void listeners.delete(tell)
  }
  const beat = { now: () => now, subscribe }
  beats.set(every, beat)
  return beat
}

/** The time, again every `every` milliseconds. */
export function useNow(every: number): number {
  const { subscribe, now } = beatOf(every)
  return useSyncExternalStore(subscribe, now)
}
