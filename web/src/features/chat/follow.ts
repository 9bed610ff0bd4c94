import type { Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { type Asked, FollowStop } from './stop'

type Virtual = Virtualizer<HTMLDivElement, Element>

const NEAR_END = 80
/** A scroll this soon after input on the feed's wheel, keys, touch or bar is intended, in ms. */
const INTENT_TIME = 1000

/**
 * Keeps the feed at its end while it grows, wherever it grows, until a person scrolls away; at the top of an open question
 * until they scroll on.
 *
 * The virtualizer follows only what is appended; here steps are put above the text that is being written.
 */
export function useFollow(scroller: RefObject<HTMLDivElement | null>, asked: Asked | null) {
  const [isAtEnd, setAtEnd] = useState(true)
  const isFollowing = useRef(true)
  const size = useRef(0)
  const [stop] = useState(() => new FollowStop())
  stop.asked = asked

  useEffect(() => {
    const feed = scroller.current
    if (!feed) return
    let lastInput = -Infinity
    const onInput = (event: Event) => {
      if (isIntended(event, feed)) lastInput = performance.now()
    }
    const drag = (event: PointerEvent) => event.buttons > 0 && onInput(event)
    const scroll = () => {
      const isByHand = performance.now() - lastInput < INTENT_TIME
      if (isByHand) stop.note(feed)
      const isNear = distance(feed) <= NEAR_END || stop.isReached(feed)
      if (isNear) isFollowing.current = true
      else if (isByHand) isFollowing.current = false
      setAtEnd(isNear || isFollowing.current)
    }
    const resize = new ResizeObserver(() => isFollowing.current && stop.goOn())
    resize.observe(feed)
    feed.addEventListener('scroll', scroll, { passive: true })
    for (const name of INPUT_EVENTS) addEventListener(name, onInput, { passive: true, capture: true })
    addEventListener('pointermove', drag, { passive: true })
    return () => {
      resize.disconnect()
      feed.removeEventListener('scroll', scroll)
      for (const name of INPUT_EVENTS) removeEventListener(name, onInput, { capture: true })
      removeEventListener('pointermove', drag)
    }
  }, [scroller, stop])

  const onChange = useCallback(
    (virtual: Virtual) => {
      const total = virtual.getTotalSize()
      if (total === size.current) return
      size.current = total
      if (isFollowing.current) stop.goOn()
    },
    [stop],
  )
  const follow = useCallback((isWanted: boolean) => {
    isFollowing.current = isWanted
    setAtEnd(isWanted)
  }, [])
  return { isAtEnd, stop, onChange, follow }
}

const INPUT_EVENTS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const
const SCROLL_KEYS = new Set(['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' '])

/** Not all input is for the feed: a user who approves, stops or writes wants to see what comes of it. */
export function isIntended(event: Event, feed: Element): boolean {
  const target = event.target
  if (!(target instanceof Element)) return false
  if (event instanceof KeyboardEvent) {
    if (event.key === 'Tab') return true // what is scrolled next is the focus
    return SCROLL_KEYS.has(event.key) && (target === document.body || feed.contains(target))
  }
  if (!feed.contains(target)) return false
  const control = target.closest('button, a, input, textarea')
  return event.type !== 'pointerdown' || control === null || control.hasAttribute('aria-expanded')
}

const distance = (feed: Element) => feed.scrollHeight - feed.clientHeight - feed.scrollTop
