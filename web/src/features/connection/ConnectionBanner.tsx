import { WifiOff } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useRoute } from 'wouter'
import { useStore } from 'zustand'
import { useT, useWords, wordbook } from '@/i18n'
import { retryStream } from '@/stream/connect'
import { storeOf } from '@/stream/store'
import { Button } from '@/ui/Button'
import { useLinkStatus } from '@/session/linkStatus'

const GRACE = 2000

const words = wordbook('connectionBanner', {
  offline: 'You are offline. What you send goes out when you are back.',
  away: 'Connection lost. The server cannot be reached. What you send goes out when it is back.',
  waits: 'Connection lost. The run waits for you.',
})

/** Says what is true: this machine is offline, the server is away, or the run waits. A short break is not shown. */
export function ConnectionBanner() {
  const t = useT()
  const tell = useWords(words)
  const isOffline = useSyncExternalStore(onNetworkChange, () => !navigator.onLine)
  const isLost = useIsLost()
  const [, place] = useRoute('/s/:id')
  const isAsked = useStore(storeOf(place?.id ?? ''), (state) => state.pending !== null)
  return (
    <div role="status" className="shrink-0">
      {(isOffline || isLost) && (
        <div className="flex items-center gap-2 bg-warn-soft px-4 py-1.5 text-xs text-warn">
          <WifiOff size={15} aria-hidden className="breathing shrink-0" />
          <span className="min-w-0 flex-1">{tell(isOffline ? 'offline' : isAsked ? 'waits' : 'away')}</span>
          {!isOffline && (
            <Button small onClick={retryStream}>
              {t('link.now')}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

function onNetworkChange(changed: () => void): () => void {
  addEventListener('online', changed)
  addEventListener('offline', changed)
  return () => {
    removeEventListener('online', changed)
    removeEventListener('offline', changed)
  }
}

/** The stream has been lost for GRACE milliseconds. */
function useIsLost(): boolean {
  const isLost = useLinkStatus((state) => state.status === 'lost')
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    if (!isLost) return setLong(false)
    const timer = setTimeout(() => setLong(true), GRACE)
    return () => clearTimeout(timer)
  }, [isLost])
  return isLong
}
