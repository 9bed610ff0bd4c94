import { Hand, History, PanelLeftClose } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useWords } from '@/i18n'
import { openReplay, openTakeover } from '@/lib/addresses'
import { useFrame } from '@/lib/frame'
import { useIsVisible } from '@/lib/media'
import { usePrefs } from '@/lib/prefs'
import { PointButton } from '@/session/pointing/PointButton'
import { useSessionId } from '@/session/sessionId'
import { type SessionState, useLive } from '@/stream/store'
import { Button } from '@/ui/Button'
import { IconButton } from '@/ui/IconButton'
import { EnlargedStage } from './EnlargedStage'
import { liveViewOf, useLiveState, useWatch } from './liveView'
import { StageBar } from './StageBar'
import { StagePicture } from './StagePicture'
import { words as stageWords } from './stageWords'
import { words } from './takeoverWords'

/** The browser as it is now, watched while this is in sight; what was last seen of it when it is closed. */
export default function BrowserStage() {
  const t = useWords(words)
  const tell = useWords(stageWords)
  const sessionId = useSessionId()
  const view = useMemo(() => liveViewOf(sessionId), [sessionId])
  useWatch(view, useIsVisible())
  const [isLarge, setLarge] = useState(false)
  const set = usePrefs((prefs) => prefs.set)
  const { panel } = useFrame()
  const hasSteps = useLive(hasPictures)
  return (
    <section aria-label={t('browser')} className="flex flex-col gap-2 p-3">
      <div className="flex min-h-8 items-center gap-2">
        <StageBar view={view} />
        {!panel.isSheet && (
          <IconButton small label={tell('stage.chat.hide')} onClick={() => set({ chatStrip: true })}>
            <PanelLeftClose size={15} aria-hidden />
          </IconButton>
        )}
        {hasSteps && (
          <IconButton small label={t('replay')} onClick={() => openReplay(sessionId)}>
            <History size={15} aria-hidden />
          </IconButton>
        )}
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

const hasPictures = ({ ids, rows }: SessionState): boolean =>
  ids.some((id) => rows[id]?.kind === 'tool' && rows[id].screenshot)
