import { useLang } from '@/i18n'
import { duration } from '@/lib/numbers'
import { useNow } from '@/lib/time'

/** Seconds since then, counting. */
export function Elapsed({ since, className }: { since: string | null; className?: string }) {
  const lang = useLang()
  const now = useNow(1000)
  if (!since) return null
  const ms = Math.max(0, Math.floor((now - Date.parse(since)) / 1000) * 1000)
  return <span className={`tabular ${className ?? ''}`}> · {duration(ms, lang)}</span>
}
