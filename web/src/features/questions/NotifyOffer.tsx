import { BellRing } from 'lucide-react'
import { useState } from 'react'
import { useT } from '@/i18n'
import { canNotify } from '@/lib/notifications'
import { usePrefs } from '@/lib/prefs'
import { Button } from '@/ui/Button'

/** Asked when it is plain what for: the agent waits, and next time nobody may be looking. Asked once. */
export function NotifyOffer() {
  const t = useT()
  const isAnswered = usePrefs((prefs) => prefs.notifyAnswered)
  const set = usePrefs((prefs) => prefs.set)
  const [permission] = useState(() => (canNotify() ? Notification.permission : 'denied'))
  if (isAnswered || permission !== 'default') return null
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
