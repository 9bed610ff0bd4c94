import { elementScroll, type Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { FollowStop, type Place } from './stop'

type Virtual = Virtualizer<HTMLDivElement, Element>

/** Pixels from the end within which a scroll towards it begins following again, and any scroll. */
const NEAR_END = 80
const AT_END = 4
/** Milliseconds for which nothing pulls after a wheel or a key that leads up: its scroll takes some frames to begin. */
const LEAVING = 200

/**
 * Keeps the feed at its end while it grows, wherever it grows, until a person scrolls away; at the top of an open question
 * and at the first line of the last answer until they scroll on.
 *
 * A scroll up that is not our own ends it, whatever its size and cause: find-in-page and screen readers send no input.
 * The virtualizer follows only what is appended; here steps are put above the text that is being written.
 */
export function useFollow(
  scroller: RefObject<HTMLDivElement | null>,
  { asked, answer }: { asked: Place | null; answer: Place | null },
) {
  const [isAtEnd, setAtEnd] = useState(true)
  const isFollowing = useRef(true)
  const size = useRef(0)
  const [stop] = useState(() => new FollowStop())
  const [hold] = useState(() => new Hold(() => isFollowing.current && stop.goOn()))
  const ownTop = useRef(0)
  stop.asked = asked
  stop.answer = answer

  const look = useCallback(() => {
    const feed = scroller.current
    if (feed) setAtEnd(distance(feed) <= NEAR_END || (isFollowing.current && !stop.isShort()))
  }, [scroller, stop])

  useEffect(() => {
    const feed = scroller.current
    if (!feed) return
    let last = feed.scrollTop
    const scroll = () => {
      const moved = feed.scrollTop - last
      const isOurs = feed.scrollTop === ownTop.current
      last = feed.scrollTop
      if (!isOurs && moved > 0) stop.note(feed)
      if (isReached(feed, isOurs ? 0 : moved) || stop.isReached(feed)) isFollowing.current = true
      else if (!isOurs && moved < 0) isFollowing.current = false
      look()
    }
    const resize = new ResizeObserver(() => isFollowing.current && stop.goOn())
    resize.observe(feed)
    feed.addEventListener('scroll', scroll, { passive: true })
    const release = hold.listen(feed)
    return () => {
      resize.disconnect()
      feed.removeEventListener('scroll', scroll)
      release()
    }
  }, [scroller, stop, hold, look])

  const onChange = useCallback(
    (virtual: Virtual) => {
      const total = virtual.getTotalSize()
      if (total === size.current) return
      size.current = total
      if (isFollowing.current && !hold.isOn) stop.goOn()
      look()
    },
    [stop, hold, look],
  )
  const follow = useCallback((isWanted: boolean) => {
    isFollowing.current = isWanted
    setAtEnd(isWanted)
  }, [])
  const [scrollToFn] = useState(() => (...args: Parameters<typeof elementScroll<HTMLDivElement>>) => {
    elementScroll(...args)
    ownTop.current = scroller.current?.scrollTop ?? 0
  })
  return { isAtEnd, stop, onChange, follow, scrollToFn }
}

/** The end has been reached: by any scroll, or nearly by one towards it. */
export const isReached = (feed: Element, moved: number): boolean =>
  distance(feed) <= (moved > 0 ? NEAR_END : AT_END)

/** While it is on, nothing scrolls for the person: a finger is down, or a wheel or key has just led up. */
export class Hold {
  private fingers = 0
  private timer: ReturnType<typeof setTimeout> | null = null

  /** `onEnd`: what was held back may go on. */
  constructor(private readonly onEnd: () => void) {}

  get isOn(): boolean {
    return this.fingers > 0 || this.timer !== null
  }

  listen(feed: HTMLElement): () => void {
    const touch = (event: TouchEvent) => {
      this.fingers = event.touches.length
      if (!this.isOn) this.onEnd()
    }
    const wheel = (event: WheelEvent) => event.deltaY < 0 && this.leave()
    const key = (event: KeyboardEvent) => UP_KEYS.has(event.key) && this.leave()
    const passive = { passive: true }
    for (const name of TOUCHES) feed.addEventListener(name, touch, passive)
    feed.addEventListener('wheel', wheel, passive)
    feed.addEventListener('keydown', key)
    return () => {
      for (const name of TOUCHES) feed.removeEventListener(name, touch)
      feed.removeEventListener('wheel', wheel)
      feed.removeEventListener('keydown', key)
      clearTimeout(this.timer ?? undefined)
    }
  }

  private leave(): void {
    clearTimeout(this.timer ?? undefined)
    this.timer = setTimeout(() => {
      this.timer = null
      if (!this.isOn) this.onEnd()
    }, LEAVING)
  }
}

const TOUCHES = ['touchstart', 'touchend', 'touchcancel'] as const
const UP_KEYS = new Set(['ArrowUp', 'PageUp', 'Home'])

const distance = (feed: Element) => feed.scrollHeight - feed.clientHeight - feed.scrollTop
