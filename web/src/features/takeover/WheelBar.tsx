import { Hand } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useWords } from '@/i18n'
import { openTakeover } from '@/lib/addresses'
import { useSessionId } from '@/session/sessionId'
import { Button } from '@/ui/Button'
import { HandBackDialog } from './HandBackDialog'
import { liveViewOf } from './liveView'
import { words } from './takeoverWords'

/** Reminds in the chat of a browser that is still held. */
export default function WheelBar() {
  const t = useWords(words)
  const sessionId = useSessionId()
  const view = useMemo(() => liveViewOf(sessionId), [sessionId])
  const [isAsking, setAsking] = useState(false)
  return (
    <div className="mb-2 flex flex-wrap items-center gap-2 rounded-lg bg-accent-soft py-1.5 pr-1.5 pl-3 text-sm text-accent-text">
      <Hand size={16} aria-hidden className="shrink-0" />
      <span className="min-w-0 flex-1 font-medium">{t('held.here')}</span>
      <Button small onClick={() => openTakeover(sessionId)}>
        {t('held.go')}
      </Button>
      <Button small tone="primary" onClick={() => setAsking(true)}>
        {t('takeover.done')}
      </Button>
      <HandBackDialog view={view} open={isAsking} onClose={() => setAsking(false)} />
    </div>
  )
}
