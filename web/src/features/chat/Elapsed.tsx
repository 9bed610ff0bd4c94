import { useRef } from 'react'
import { useLang } from '@/i18n'
import { duration } from '@/lib/numbers'
import { useNow } from '@/lib/time'
import { useLinkStatus } from '@/session/linkStatus'

/** Seconds since then, counting while the server is there to work. */
export function Elapsed({ since, className }: { since: string | null; className?: string }) {
  const lang = useLang()
  const now = useSeenNow()
  if (!since) return null
  const ms = Math.max(0, Math.floor((now - Date.parse(since)) / 1000) * 1000)
  return <span className={`tabular ${className ?? ''}`}> · {duration(ms, lang)}</span>
}

/** The time until which the server last answered. */
function useSeenNow(): number {
  const now = useNow(1000)
  const isLost = useLinkStatus(({ status }) => status === 'lost')
  const seen = useRef(now)
  if (!isLost) seen.current = now
  return seen.current
}
