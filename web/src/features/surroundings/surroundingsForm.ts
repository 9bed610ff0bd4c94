import type { Surroundings, SurroundingsChange } from '@/api/types'

export interface Filled {
  zone: string
  locale: string
  address: string
  user: string
  /** A new one; the stored one is never shown. */
  password: string
}

/** What was refused, by the name of its field, or `form`. */
export type Fault = Record<string, string | undefined>

export const filledOf = ({ time_zone: zone, locale, proxy }: Surroundings): Filled => ({
  zone: zone ?? '',
  locale: locale ?? '',
  address: proxy?.address ?? '',
  user: proxy?.user ?? '',
  password: '',
})

/** Whether the password that is stored is kept: it belongs to its address and user. */
export const isSameLogin = ({ address, user }: Filled, proxy: Surroundings['proxy']): boolean =>
  address.trim() === (proxy?.address ?? '') && user === (proxy?.user ?? '')

/** What differs from what is stored; nothing in a field takes its own value away. */
export function changeOf(filled: Filled, stored: Surroundings): SurroundingsChange {
  const change: SurroundingsChange = {}
  const address = filled.address.trim()
  const zone = filled.zone || null
  const locale = filled.locale.trim() || null
  if (zone !== stored.time_zone) change.time_zone = zone
  if (locale !== stored.locale) change.locale = locale
  if (!address && stored.proxy) change.proxy = null
  if (address && (filled.password || !isSameLogin(filled, stored.proxy)))
    change.proxy = { address, user: filled.user, password: filled.password || null }
  return change
}
