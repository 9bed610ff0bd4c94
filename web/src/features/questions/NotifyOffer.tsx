import { BellRing } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useT } from '@/i18n'
import { useIsPhone } from '@/lib/media'
import { canNotify } from '@/lib/notifications'
import { usePrefs } from '@/lib/prefs'
import { Button } from '@/ui/Button'

/**
 * Asked when it is plain what for: the agent waits, and next time the page may not be visible. Asked at one question only, and
 * not on phones: there the question needs the room, and their browsers show no notifications of a page.
 */
export function NotifyOffer({ reference }: { reference: string }) {
  const t = useT()
  const isAnswered = usePrefs((prefs) => prefs.notifyAnswered)
  const offeredAt = usePrefs((prefs) => prefs.notifyOfferedAt)
  const set = usePrefs((prefs) => prefs.set)
  const isPhone = useIsPhone()
  const [permission] = useState(() => (canNotify() ? Notification.permission : 'denied'))
  const isOffered =
    !isPhone && !isAnswered && permission === 'default' && (offeredAt ?? reference) === reference
  useEffect(() => {
    if (isOffered) set({ notifyOfferedAt: reference })
  }, [isOffered, reference, set])
  if (!isOffered) return null
  const answer = (isWanted: boolean) => {
    set({ notifyAnswered: true })
    if (isWanted) void Notification.requestPermission()
  }
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-2 gap-y-1 px-1 text-xs text-muted">
      <BellRing size={14} aria-hidden className="shrink-0" />
      <span className="min-w-0 flex-1 max-md:basis-[calc(100%-30px)]">{t('notify.offer')}</span>
      <Button small onClick={() => answer(true)}>
        {t('notify.yes')}
      </Button>
      <Button small tone="quiet" onClick={() => answer(false)}>
        {t('notify.no')}
      </Button>
    </div>
  )
}
