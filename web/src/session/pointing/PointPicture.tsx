import { type PointerEvent, useRef, useState } from 'react'
import type { Box, PointedElement } from '@/api/types'
import { useWords } from '@/i18n'
import { cx } from '@/lib/cx'
import { pictureUrl } from '@/lib/url'
import { elementAt, frameOf, isSurface, type Spot } from './hit'
import type { Mark } from './pointMarks'
import { useMarkLabel } from './PointerChips'
import { words } from './pointingWords'

interface Props {
  picture: string
  elements: PointedElement[]
  marks: readonly Mark[]
  /** The element of the list that has the focus. */
  lit: PointedElement | null
  isLarge: boolean
  onSpot: (spot: Spot) => void
  onFrame: (frame: Box) => void
}

/** Of the picture in percent: a shorter way is a click. */
const LEAST_DRAG = 1.5

/** The picture: what is under the pointer is outlined, a click marks it, a drag marks a frame. */
export function PointPicture({ picture, elements, marks, lit, isLarge, onSpot, onFrame }: Props) {
  const t = useWords(words)
  const [over, setOver] = useState<PointedElement | null>(null)
  const [frame, setFrame] = useState<Box | null>(null)
  const from = useRef<Spot | null>(null)
  const drags = (event: PointerEvent) => !isLarge || event.pointerType === 'mouse'
  const frameAt = (event: PointerEvent<HTMLElement>) => {
    const drawn = from.current && drags(event) ? frameOf(from.current, spotOf(event)) : null
    return drawn && Math.max(drawn[2], drawn[3]) >= LEAST_DRAG ? drawn : null
  }
  const onDown = (event: PointerEvent<HTMLElement>) => {
    from.current = spotOf(event)
    if (drags(event)) event.currentTarget.setPointerCapture(event.pointerId)
  }
  const onMove = (event: PointerEvent<HTMLElement>) => {
    setFrame(frameAt(event))
    setOver(elementAt(elements, spotOf(event)))
  }
  const onUp = (event: PointerEvent<HTMLElement>) => {
    const drawn = frameAt(event)
    if (drawn) onFrame(drawn)
    else if (from.current) onSpot(spotOf(event))
    onLeave()
  }
  const onLeave = () => {
    from.current = null
    setFrame(null)
    setOver(null)
  }
  const shown = lit ?? (over && !isSurface(over) ? over : null)
  return (
    <div
      role="group"
      aria-label={t('point.picture')}
      data-pointing
      onPointerDown={onDown}
      onPointerMove={onMove}
      onPointerUp={onUp}
      onPointerCancel={onLeave}
      onPointerLeave={onLeave}
      className={cx('relative cursor-crosshair select-none', isLarge ? 'w-[250%]' : 'w-full touch-none')}
    >
      <img
        src={pictureUrl(picture) ?? ''}
        alt={t('point.picture')}
        draggable={false}
        className="block w-full"
      />
      {shown && !frame && <Lit element={shown} />}
      {frame && <Outline box={frame} />}
      {marks
        .filter((mark) => mark.picture === picture)
        .map((mark) => (
          <MarkOutline key={mark.n} n={mark.n} box={mark.box} />
        ))}
    </div>
  )
}

function spotOf({ currentTarget, clientX, clientY }: PointerEvent<HTMLElement>): Spot {
  const { left, top, width, height } = currentTarget.getBoundingClientRect()
  return [(100 * (clientX - left)) / width, (100 * (clientY - top)) / height]
}

const placed = ([left, top, width, height]: Box) => ({
  left: `${left}%`,
  top: `${top}%`,
  width: `${width}%`,
  height: `${height}%`,
})

// The same in both themes: they stand on a page, not on ours.
const OUTLINE = 'pointer-events-none absolute rounded-xs outline-2 outline-[#0b57d0] ring-4 ring-[#fff]/80'

const Outline = ({ box }: { box: Box }) => <span aria-hidden className={OUTLINE} style={placed(box)} />

function Lit({ element }: { element: PointedElement }) {
  const labelOf = useMarkLabel()
  const { role, name, near, box } = element
  return (
    <>
      <Outline box={box} />
      <span
        data-lit
        aria-hidden
        className="pointer-events-none absolute z-10 max-w-[70%] truncate rounded-sm bg-[#0b57d0] px-1.5 text-xs text-[#fff]"
        style={{
          left: `${Math.max(0, Math.min(box[0], 60))}%`,
          top: `calc(${Math.max(0, box[1] + box[3])}% + 6px)`,
        }}
      >
        {labelOf({ target: { role, name, near } })}
      </span>
    </>
  )
}

/** A mark with its number at its corner. */
export function MarkOutline({ n, box }: { n: number; box: Box }) {
  return (
    <span data-mark={n} aria-hidden className={OUTLINE} style={placed(box)}>
      <span className="tabular absolute -top-3 -left-3 flex size-6 items-center justify-center rounded-full bg-[#0b57d0] text-xs font-bold text-[#fff] ring-2 ring-[#fff]">
        {n}
      </span>
    </span>
  )
}
