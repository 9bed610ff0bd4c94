import { useLang } from '@/i18n'
import { exact, relative, useNow } from '@/lib/time'

/** "2 min ago", with the exact time on hover; new each half minute. */
export function TimeStamp({ at, className }: { at: string | null; className?: string }) {
  const lang = useLang()
  const now = useNow(30_000)
  if (!at) return null
  const date = new Date(at)
  return (
    <time dateTime={at} title={exact(date, lang)} className={className}>
      {relative(date, new Date(Math.max(now, date.getTime())), lang)}
    </time>
  )
}
