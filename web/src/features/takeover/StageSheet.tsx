import { ChevronDown, ChevronUp, Hand } from 'lucide-react'
import { type PointerEvent, useMemo, useRef, useState } from 'react'
import { useWords } from '@/i18n'
import { openTakeover } from '@/lib/addresses'
import { cx } from '@/lib/cx'
import { useIsVisible } from '@/lib/media'
import { useSessionId } from '@/session/sessionId'
import { Button } from '@/ui/Button'
import { IconButton } from '@/ui/IconButton'
import { liveViewOf, useWatch } from './liveView'
import { Zoomable } from './Zoomable'
import { useStageSign } from './sign'
import { StageBar } from './StageBar'
import { StagePicture } from './StagePicture'
import { words } from './stageWords'

const HEIGHTS = ['low', 'half', 'full'] as const
type Height = (typeof HEIGHTS)[number]

/** How far a finger moves in a swipe, in CSS pixels. */
const SWIPE = 40

/**
 * The browser in narrow windows, between feed and composer: swiped up it fills the window, swiped down it is a line.
 * A question and an answer come first: while `isAsked`, and when the run has ended, it is a line.
 */
export default function StageSheet({ isAsked }: { isAsked: boolean }) {
  const t = useWords(words)
  const sessionId = useSessionId()
  const view = useMemo(() => liveViewOf(sessionId), [sessionId])
  const [wanted, setWanted] = useState<Height | null>(null)
  const hasEnded = useStageSign(view) === 'ended'
  const usual = hasEnded ? 'low' : 'half'
  const height = isAsked && wanted !== 'full' ? 'low' : (wanted ?? usual)
  const isShown = height !== 'low'
  useWatch(view, useIsVisible() && isShown)
  const move = (by: number) => {
    const next = HEIGHTS[HEIGHTS.indexOf(height) + by]
    if (next) setWanted(next)
  }
  const swipe = useSwipe(move)
  return (
    <section
      aria-label={t('stage.sheet')}
      data-height={height}
      className={cx(
        'flex shrink-0 flex-col border-t border-line bg-bg',
        height === 'full' && 'fixed inset-0 z-20 border-t-0',
      )}
    >
      <div
        {...swipe}
        data-handle
        className="relative flex touch-none items-center gap-1.5 pt-3 pr-2 pb-1 pl-4"
      >
        <span aria-hidden className="absolute inset-x-0 top-1 mx-auto h-1 w-9 rounded-full bg-s3" />
        <StageBar view={view} isWatched={isShown} />
        <IconButton label={t('stage.sheet.up')} disabled={height === 'full'} onClick={() => move(1)}>
          <ChevronUp size={17} aria-hidden />
        </IconButton>
        <IconButton label={t('stage.sheet.down')} disabled={height === 'low'} onClick={() => move(-1)}>
          <ChevronDown size={17} aria-hidden />
        </IconButton>
        <Button small aria-label={t('takeover')} onClick={() => openTakeover(sessionId)}>
          <Hand size={14} aria-hidden />
        </Button>
      </div>
      {isShown && (
        <Zoomable className={height === 'full' ? 'min-h-0 flex-1' : 'max-h-[45dvh]'}>
          <div className="flex h-full items-center">
            <StagePicture view={view} tallest={height === 'full' ? 100 : 45} />
          </div>
        </Zoomable>
      )}
    </section>
  )
}

/** `move` is called with 1 for a swipe up, -1 for one down. */
function useSwipe(move: (by: number) => void) {
  const from = useRef<number | null>(null)
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => void (from.current = event.clientY),
    onPointerUp: (event: PointerEvent<HTMLElement>) => {
      const by = from.current === null ? 0 : from.current - event.clientY
      from.current = null
      if (Math.abs(by) >= SWIPE) move(Math.sign(by))
    },
    onPointerCancel: () => void (from.current = null),
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      // Only a swipe is held by the bar: a tap belongs to the button below it.
      if (from.current !== null && Math.abs(from.current - event.clientY) > SWIPE / 4)
        event.currentTarget.setPointerCapture(event.pointerId)
    },
  }
}
