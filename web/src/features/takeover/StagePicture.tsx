import type { ReactNode } from 'react'
import { useWords } from '@/i18n'
import { hostOf, pictureUrl } from '@/lib/url'
import type { ToolRow } from '@/stream/rows'
import { type SessionState, useLive } from '@/stream/store'
import { Spinner } from '@/ui/Spinner'
import { TimeStamp } from '@/ui/TimeStamp'
import { AgentPointer } from './AgentPointer'
import { type LiveView, useIsLive, useLiveState } from './liveView'
import { PagePicture } from './PageScreen'
import { useStageSign } from './sign'
import { words as stageWords } from './stageWords'
import { words } from './takeoverWords'

interface Props {
  view: LiveView
  /** A click on the picture; without it the picture is only looked at. */
  onEnlarge?: () => void
  /** Percent of the window's height that it may take. */
  tallest?: number
}

/** The live picture, else the last screenshot, else what is awaited; as wide as there is room. */
export function StagePicture({ view, onEnlarge, tallest = 100 }: Props) {
  const t = useWords(words)
  const tell = useWords(stageWords)
  const isLive = useIsLive(view)
  const shot = useLive(lastShot)
  const [width, height] = useLiveState(view, (state) => state.viewport)
  const isWorking = useStageSign(view) !== 'ended'
  const site = useSiteToCome(view, isLive, shot !== null)
  const address = pictureUrl(shot?.screenshot, 1280)
  return (
    <div
      data-stage={isLive ? 'live' : address ? 'last' : 'none'}
      className="relative mx-auto w-full overflow-hidden rounded-md border border-line bg-s2"
      style={{ aspectRatio: width / height, maxWidth: `calc(${tallest}dvh * ${width / height})` }}
    >
      <div className={isLive ? 'absolute inset-0' : 'invisible absolute inset-0'}>
        <PagePicture view={view} />
        {isWorking && <AgentPointer view={view} />}
      </div>
      {!isLive && address && (
        <>
          <img
            key={address}
            src={address}
            alt={t('shot.alt', { what: shot?.url ?? shot?.summary ?? '' })}
            className="fading absolute inset-0 size-full object-contain object-top"
          />
          <Corner>
            {t('live.last')} · <TimeStamp at={shot?.at ?? null} />
          </Corner>
        </>
      )}
      {site ? (
        <Skeleton site={site} text={tell(isLive ? 'stage.loading' : 'stage.starting')} />
      ) : (
        !isLive && !address && <Awaited view={view} />
      )}
      {onEnlarge && (isLive || address) && (
        <button
          type="button"
          aria-label={tell('stage.enlarge')}
          onClick={onEnlarge}
          className="absolute inset-0 cursor-zoom-in rounded-md -outline-offset-2"
        />
      )}
    </div>
  )
}

function Corner({ children }: { children: ReactNode }) {
  return (
    <span className="absolute right-2 bottom-2 rounded-sm bg-bg/90 px-1.5 text-2xs text-muted">
      {children}
    </span>
  )
}

/** Before the first picture: the queue, the start of the browser, or nothing at all. */
function Awaited({ view }: { view: LiveView }) {
  const t = useWords(words)
  const tell = useWords(stageWords)
  const place = useLiveState(view, (state) => state.queue_place)
  const sign = useStageSign(view)
  const isStarting = sign === 'starting' && !place
  return (
    <p className="absolute inset-0 m-auto flex h-fit items-center justify-center gap-2 p-4 text-center text-sm text-muted">
      {isStarting && <Spinner size={15} />}
      {place ? t('run.queued.place', { n: place }) : isStarting ? tell('stage.starting') : t('browser.none')}
    </p>
  )
}

/** The frame of a browser with the site whose page is on its way. */
function Skeleton({ site, text }: { site: string; text: string }) {
  return (
    <div data-skeleton className="fading absolute inset-0 flex flex-col bg-s2">
      <p className="flex items-center gap-2 border-b border-line bg-s1 px-3 py-1.5 text-xs text-muted">
        <Spinner size={13} />
        <strong className="min-w-0 truncate font-medium text-text">{site}</strong>
        <span className="min-w-0 truncate">{text}</span>
      </p>
      <div aria-hidden className="breathing flex flex-1 flex-col gap-3 p-[6%]">
        {['h-6 w-1/3', 'h-3 w-full', 'h-3 w-5/6', 'h-3 w-2/3'].map((size) => (
          <span key={size} className={`rounded-sm bg-s3 ${size}`} />
        ))}
      </div>
    </div>
  )
}

/** The site that the step under way opens, while no page of it is seen yet. */
function useSiteToCome(view: LiveView, isLive: boolean, wasSeen: boolean): string | null {
  const place = useLiveState(view, (state) => state.queue_place)
  const isBlank = useLiveState(view, ({ url }) => !url || url === 'about:blank')
  const site = useLive(siteToCome)
  return !place && (isLive ? isBlank : !wasSeen) ? site : null
}

function siteToCome({ ids, rows }: SessionState): string | null {
  const row = rows[ids.findLast((id) => rows[id]?.kind === 'tool') ?? '']
  if (row?.kind !== 'tool' || row.status !== 'running' || typeof row.args.url !== 'string') return null
  return hostOf(row.args.url)
}

function lastShot({ ids, rows }: SessionState): ToolRow | null {
  const id = ids.findLast((id) => rows[id]?.kind === 'tool' && rows[id].screenshot)
  const row = rows[id ?? '']
  return row?.kind === 'tool' ? row : null
}
