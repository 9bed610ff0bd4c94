import { Hand } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useWords } from '@/i18n'
import { openTakeover } from '@/lib/addresses'
import { useIsVisible } from '@/lib/media'
import { PointButton } from '@/session/pointing/PointButton'
import { useSessionId } from '@/session/sessionId'
import { useLive } from '@/stream/store'
import { Button } from '@/ui/Button'
import { EnlargedStage } from './EnlargedStage'
import { liveViewOf, useLiveState, useWatch } from './liveView'
import { StageBar } from './StageBar'
import { StagePicture } from './StagePicture'
import { words } from './takeoverWords'

/** The browser as it is now, watched while this is in sight; what was last seen of it when it is closed. */
export default function BrowserStage() {
  const t = useWords(words)
  const sessionId = useSessionId()
  const view = useMemo(() => liveViewOf(sessionId), [sessionId])
  useWatch(view, useIsVisible())
  const [isLarge, setLarge] = useState(false)
  return (
    <section aria-label={t('browser')} className="flex flex-col gap-2 p-3">
      <div className="flex min-h-8 items-center gap-2">
        <StageBar view={view} />
        <PointButton small picture={null} />
        <Button small onClick={() => openTakeover(sessionId)}>
          <Hand size={14} aria-hidden />
          {t('takeover')}
        </Button>
      </div>
      <StagePicture view={view} tallest={58} onEnlarge={() => setLarge(true)} />
      <Address view={view} />
      {isLarge && <EnlargedStage view={view} onClose={() => setLarge(false)} />}
    </section>
  )
}

function Address({ view }: { view: ReturnType<typeof liveViewOf> }) {
  const page = useLive((state) => state.page)
  const live = useLiveState(view, ({ url }) => url)
  const title = useLiveState(view, ({ title }) => title)
  const url = live || page?.url
  if (!url || url === 'about:blank') return null
  return (
    <p className="flex min-w-0 gap-2 text-xs text-muted" title={url}>
      <span className="max-w-[50%] shrink-0 truncate font-medium text-text">
        {live ? title : page?.title}
      </span>
      <span className="truncate">{url}</span>
    </p>
  )
}
