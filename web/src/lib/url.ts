import { BASE } from '@/lib/base'
/** The address if it is one a person may follow from text that a model wrote, else null. */
export function safeUrl(address: string | null | undefined): string | null {
  if (!address) return null
  try {
    const url = new URL(address)
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null
  } catch {
    return null
  }
}

/** Null for pages of the browser itself, such as its error page. */
export function hostOf(address: string | null | undefined): string | null {
  if (!address || address.startsWith('chrome-error:')) return null
  try {
    return new URL(address).host || null
  } catch {
    return null
  }
}

// A path on this server (the prefix is a setting), without dot segments, that names a picture.
const PICTURE = /^(?:\/(?!\.+(?:\/|$))[\w.~-]+)+\.(?:jpe?g|png|webp)$/

/** Our own pictures only, or one that this page has fetched; a thumbnail of `width` pixels when given. */
export function pictureUrl(address: string | null | undefined, width?: number): string | null {
  if (address?.startsWith('blob:')) return address
  if (!address || !PICTURE.test(address)) return null
  return BASE + (width ? `${address}?w=${width}` : address)
}

/** A page as people name it: host and path, without scheme and query. */
export function pageOf(address: unknown): string | null {
  const host = typeof address === 'string' ? hostOf(address) : null
  if (!host) return null
  const { pathname } = new URL(address as string)
  return pathname === '/' ? host : host + decodeURI(pathname)
}
