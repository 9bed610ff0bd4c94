import { useT } from '@/i18n'
import { countdown, useNow } from '@/lib/time'

export function Expiry({ at }: { at: string | null | undefined }) {
  const t = useT()
  const now = useNow(1000)
  if (!at) return null
  const left = (Date.parse(at) - now) / 1000
  return (
    <span className="tabular shrink-0 text-xs">
      {left > 0 ? t('question.expires', { time: countdown(left) }) : t('question.expired')}
    </span>
  )
}
