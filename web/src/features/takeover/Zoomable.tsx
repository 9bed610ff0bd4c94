import { type CSSProperties, type PointerEvent, type ReactNode, useRef, useState } from 'react'
import { cx } from '@/lib/cx'
import { pinched, WHOLE } from './pinch'

interface Props {
  className?: string
  style?: CSSProperties
  /** One finger is for what is below; otherwise it moves an enlarged picture. */
  isTwoFingered?: boolean
  children: ReactNode
}

/** Enlarges what it shows by two fingers, in its frame. Elements below do not get such a gesture. */
export function Zoomable({ className, style, isTwoFingered = false, children }: Props) {
  const [zoom, setZoom] = useState(WHOLE)
  const fingers = useRef(new Map<number, [number, number]>())
  const isGesture = useRef(false)

  const onDown = (event: PointerEvent<HTMLElement>) => {
    if (event.pointerType !== 'touch') return
    fingers.current.set(event.pointerId, [event.clientX, event.clientY])
    if (fingers.current.size > 1) isGesture.current = true
    if (isGesture.current) event.stopPropagation()
  }
  const onMove = (event: PointerEvent<HTMLElement>) => {
    const { current: touching } = fingers
    if (!touching.has(event.pointerId)) return
    const before = [...touching.values()]
    touching.set(event.pointerId, [event.clientX, event.clientY])
    if (isGesture.current) event.stopPropagation()
    if (touching.size === 1 && (isTwoFingered || isGesture.current)) return
    const frame = event.currentTarget.getBoundingClientRect()
    const area = { width: frame.width, height: frame.height }
    const [at, from] = [[...touching.values()], before].map((spots) => middle(spots, frame)) as Middle[]
    const spread = touching.size > 1 ? at!.apart / (from!.apart || 1) : 1
    setZoom((zoom) => pinched(zoom, area, { at: at!.spot, from: from!.spot, spread }))
  }
  const onEnd = (event: PointerEvent<HTMLElement>) => {
    if (!fingers.current.delete(event.pointerId)) return
    if (isGesture.current) event.stopPropagation()
    if (fingers.current.size === 0) isGesture.current = false
  }
  return (
    <div
      className={cx('overflow-hidden touch-none', className)}
      style={style}
      onPointerDownCapture={onDown}
      onPointerMoveCapture={onMove}
      onPointerUpCapture={onEnd}
      onPointerCancelCapture={onEnd}
    >
      <div
        data-zoom={zoom.scale.toFixed(2)}
        className="relative size-full origin-top-left"
        style={
          zoom.scale > 1 ? { transform: `translate(${zoom.x}px, ${zoom.y}px) scale(${zoom.scale})` } : {}
        }
      >
        {children}
      </div>
    </div>
  )
}

interface Middle {
  spot: [number, number]
  /** CSS pixels between the first two fingers. */
  apart: number
}

function middle(spots: [number, number][], frame: DOMRect): Middle {
  const [one, two = one] = spots as [[number, number], [number, number]?]
  return {
    spot: [(one[0] + two![0]) / 2 - frame.left, (one[1] + two![1]) / 2 - frame.top],
    apart: Math.hypot(one[0] - two![0], one[1] - two![1]),
  }
}
