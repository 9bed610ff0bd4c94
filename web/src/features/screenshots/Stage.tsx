import { type CSSProperties, type PointerEvent, useState } from 'react'
import { cx } from '@/lib/cx'
import { fitted } from '@/lib/fit'
import { hostOf, pictureUrl } from '@/lib/url'
import { isClick, type Phase, sceneOf, type Shot } from '@/session/shots'
import { TargetOverlay } from '@/ui/TargetOverlay'
import { ClickDot } from './ClickDot'
import { shotWords, useShotWords } from './shotWords'
import type { Zoom } from './zoom'

interface Props {
  shot: Shot
  phase: Phase
  zoom: Zoom
  onZoom: (zoom: Zoom) => void
}

interface Size {
  width: number
  height: number
}

/** The picture with the place of the action on it; larger than its frame, it is moved by dragging or scrolling. */
export function Stage({ shot, phase, zoom, onZoom }: Props) {
  const t = useShotWords()
  const [size, setSize] = useState<Size>({ width: 1280, height: 800 })
  const drag = useDrag()
  const { picture, box } = sceneOf(shot, phase)
  const address = pictureUrl(picture)
  const isFit = zoom === 'fit'
  const alt = t('shot.alt', {
    what: `${shotWords(shot, t)}${shot.url ? ` – ${hostOf(shot.url) ?? shot.url}` : ''}`,
  })
  return (
    <div
      role="group"
      aria-label={t('shot.picture')}
      tabIndex={isFit ? -1 : 0}
      {...(isFit ? {} : drag)}
      onDoubleClick={() => onZoom(isFit ? 1 : 'fit')}
      className={cx(
        'flex min-h-0 flex-1 overflow-auto bg-s2 p-2 -outline-offset-2 [container-type:size] md:p-4',
        !isFit && 'cursor-grab',
      )}
    >
      {address ? (
        <div
          className="relative m-auto shrink-0"
          style={isFit ? fitted(size.width, size.height) : zoomed(size, zoom)}
        >
          <img
            src={address}
            alt={alt}
            draggable={false}
            onLoad={({ currentTarget: img }) =>
              setSize({ width: img.naturalWidth, height: img.naturalHeight })
            }
            className="block size-full rounded-sm outline outline-line"
          />
          <TargetOverlay box={box} />
          {isClick(shot) && <ClickDot box={box} />}
        </div>
      ) : (
        <p className="m-auto text-sm text-muted">{t('shot.unseen')}</p>
      )}
    </div>
  )
}

const zoomed = ({ width, height }: Size, zoom: number): CSSProperties => ({
  width: width * zoom,
  height: height * zoom,
})

function useDrag() {
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.pointerType === 'mouse') event.currentTarget.setPointerCapture(event.pointerId)
    },
    onPointerMove: ({ currentTarget, pointerId, movementX, movementY }: PointerEvent<HTMLElement>) => {
      if (currentTarget.hasPointerCapture(pointerId)) currentTarget.scrollBy(-movementX, -movementY)
    },
  }
}
