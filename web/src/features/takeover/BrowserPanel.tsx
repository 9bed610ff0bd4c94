import { Hand, History } from 'lucide-react'
import { useMemo } from 'react'
import { useWords } from '@/i18n'
import { openReplay, openTakeover } from '@/lib/addresses'
import { useIsVisible } from '@/lib/media'
import { pictureUrl } from '@/lib/url'
import { useSessionId } from '@/session/sessionId'
import type { ToolRow } from '@/stream/rows'
import { type SessionState, useLive } from '@/stream/store'
import { Button } from '@/ui/Button'
import { LiveBadge } from './LiveBadge'
import { type LiveView, liveViewOf, useLiveState, useWatch } from './liveView'
import { PagePicture } from './PageScreen'
import { words } from './takeoverWords'

/** The browser as it is now, watched while this is in sight; what was last seen of it when it is closed. */
export default function BrowserPanel() {
  const t = useWords(words)
  const sessionId = useSessionId()
  const view = useMemo(() => liveViewOf(sessionId), [sessionId])
  useWatch(view, useIsVisible())
  const isLive = useLiveState(
    view,
    ({ link, browser, hasFrame }) => link === 'open' && browser !== 'closed' && hasFrame,
  )
  const shot = useLive(lastShot)
  return (
    <div className="flex flex-col gap-3 p-4">
      <div className="flex items-center justify-between gap-2">
        <LiveBadge view={view} />
        {!isLive && shot && <span className="text-2xs text-faint">{t('live.last')}</span>}
      </div>
      <Frame view={view} isLive={isLive} shot={shot} />
      <Address view={view} shot={shot} />
      <div className="flex flex-wrap gap-2">
        <Button tone="primary" onClick={() => openTakeover(sessionId)}>
          <Hand size={15} aria-hidden />
          {t('takeover')}
        </Button>
        {shot && (
          <Button onClick={() => openReplay(sessionId)}>
            <History size={15} aria-hidden />
            {t('live.steps')}
          </Button>
        )}
      </div>
    </div>
  )
}

function Frame({ view, isLive, shot }: { view: LiveView; isLive: boolean; shot: ToolRow | null }) {
  const t = useWords(words)
  const [width, height] = useLiveState(view, (state) => state.viewport)
  const place = useLiveState(view, (state) => state.queue_place)
  const address = pictureUrl(shot?.screenshot, 640)
  return (
    <div
      className="relative overflow-hidden rounded-md border border-line bg-s2"
      style={{ aspectRatio: width / height }}
    >
      <div className={isLive ? 'absolute inset-0' : 'invisible absolute inset-0'}>
        <PagePicture view={view} />
      </div>
      {!isLive && address && (
        <img
          src={address}
          alt={t('shot.alt', { what: shot?.url ?? shot?.summary ?? '' })}
          className="absolute inset-0 size-full object-contain object-top"
        />
      )}
      {!isLive && !address && (
        <p className="absolute inset-0 m-auto h-fit p-4 text-center text-sm text-muted">
          {place ? t('run.queued.place', { n: place }) : t('browser.none')}
        </p>
      )}
    </div>
  )
}

function Address({ view, shot }: { view: LiveView; shot: ToolRow | null }) {
  const page = useLive((state) => state.page)
  const live = useLiveState(view, ({ url }) => url)
  const title = useLiveState(view, ({ title }) => title)
  const url = live || page?.url || shot?.url
  if (!url) return null
  return (
    <div className="min-w-0">
      <p className="truncate text-sm font-medium">{live ? title : page?.title}</p>
      <p className="truncate text-xs text-muted" title={url}>
        {url}
      </p>
    </div>
  )
}

function lastShot({ ids, rows }: SessionState): ToolRow | null {
  const id = ids.findLast((id) => rows[id]?.kind === 'tool' && rows[id].screenshot)
  const row = rows[id ?? '']
  return row?.kind === 'tool' ? row : null
}
