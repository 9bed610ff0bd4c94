import { WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useT } from '@/i18n'
import { retryStream } from '@/stream/connect'
import { Button } from '@/ui/Button'
import { useLinkStatus } from './linkStatus'

const GRACE = 2000

/** Told only when the link stays lost: a short break is nobody's business. */
export function ConnectionBanner() {
  const t = useT()
  const isLost = useLinkStatus((state) => state.status === 'lost')
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (!isLost) return setShown(false)
    const timer = setTimeout(() => setShown(true), GRACE)
    return () => clearTimeout(timer)
  }, [isLost])
  return (
    <div role="status" className="shrink-0">
      {isShown && (
        <div className="flex items-center gap-2 bg-warn-soft px-4 py-1.5 text-xs text-warn">
          <WifiOff size={15} aria-hidden className="breathing shrink-0" />
          <span className="min-w-0 flex-1">{t('link.lost')}</span>
          <Button small onClick={retryStream}>
            {t('link.now')}
          </Button>
        </div>
      )}
    </div>
  )
}
