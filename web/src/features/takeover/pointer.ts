import { type PointerEvent, type RefObject, useEffect, useMemo, useRef } from 'react'
import { buttonIn, buttonOf, clickCounter, mouseMessage, pointOn, type Point, wheelMessage } from './input'
import type { LiveView } from './liveView'
import type { InputMessage, MouseMessage, WheelMessage } from './protocol'

/** Moves and wheel turns are joined: thirty messages a second are enough. */
const GATHER = 33
/** How far a finger may slip in a tap, in CSS pixels. */
const TAP_SLACK = 8

/** Sends what pointer and wheel do over the picture to the page below it. */
export function usePointer(view: LiveView, area: RefObject<HTMLElement | null>) {
  const sender = useMemo(() => gatherer((message) => view.send(message)), [view])
  const countClicks = useMemo(clickCounter, [])
  const clicks = useRef(1)
  const finger = useRef<{ x: number; y: number; isPan: boolean } | null>(null)

  const pointOf = (at: { clientX: number; clientY: number }): Point =>
    pointOn(area.current!.getBoundingClientRect(), view.store.getState().viewport, at)

  useEffect(() => {
    const element = area.current
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      sender.wheel(
        wheelMessage(pointOn(element!.getBoundingClientRect(), view.store.getState().viewport, event), event),
      )
    }
    element?.addEventListener('wheel', onWheel, { passive: false })
    return () => element?.removeEventListener('wheel', onWheel)
  }, [area, sender, view])

  const press = (kind: 'down' | 'up', event: PointerEvent<HTMLElement>) =>
    sender.now(mouseMessage(kind, pointOf(event), buttonOf(event.button), clicks.current, event))

  const tap = (event: PointerEvent<HTMLElement>) => {
    const at = pointOf(event)
    clicks.current = countClicks(at, event.timeStamp)
    sender.now(mouseMessage('move', at, -1, 0, event))
    for (const kind of ['down', 'up'] as const)
      sender.now(mouseMessage(kind, at, 'left', clicks.current, event))
  }

  const pan = (event: PointerEvent<HTMLElement>) => {
    const from = finger.current
    if (!from) return
    const [dx, dy] = [from.x - event.clientX, from.y - event.clientY]
    if (!from.isPan && Math.hypot(dx, dy) < TAP_SLACK) return
    finger.current = { x: event.clientX, y: event.clientY, isPan: true }
    const scale = view.store.getState().viewport[0] / area.current!.getBoundingClientRect().width
    sender.wheel({ type: 'wheel', ...pointOf(event), dx: Math.round(dx * scale), dy: Math.round(dy * scale) })
  }

  return {
    onContextMenu: (event: { preventDefault(): void }) => event.preventDefault(),
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      event.currentTarget.setPointerCapture(event.pointerId)
      if (event.pointerType === 'touch') {
        finger.current = { x: event.clientX, y: event.clientY, isPan: false }
        return
      }
      clicks.current = countClicks(pointOf(event), event.timeStamp)
      press('down', event)
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (event.pointerType === 'touch') pan(event)
      else sender.move(mouseMessage('move', pointOf(event), buttonIn(event.buttons), 0, event))
    },
    onPointerUp: (event: PointerEvent<HTMLElement>) => {
      if (event.pointerType !== 'touch') return press('up', event)
      if (finger.current?.isPan === false) tap(event)
      finger.current = null
    },
    onPointerCancel: () => void (finger.current = null),
  }
}

/** Joins moves and wheel turns; anything else goes at once, after what is waiting. */
export function gatherer(send: (message: InputMessage) => void) {
  let move: MouseMessage | null = null
  let wheel: WheelMessage | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (move) send(move)
    if (wheel) send(wheel)
    move = wheel = null
  }
  const later = () => void (timer ??= setTimeout(flush, GATHER))
  return {
    move(message: MouseMessage) {
      move = message
      later()
    },
    wheel(message: WheelMessage) {
      wheel = wheel ? { ...message, dx: wheel.dx + message.dx, dy: wheel.dy + message.dy } : message
      later()
    },
    now(message: InputMessage) {
      flush()
      send(message)
    },
  }
}
