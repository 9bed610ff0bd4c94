import type { Virtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Entry } from './entries'

type Virtual = Virtualizer<HTMLDivElement, Element>

/** Where someone had scrolled up to: a row and how far below its top. Sessions at their end are not kept. */
const places = new Map<string, { key: string; offset: number }>()

/** Opens a feed at its end, or where it was left; tells whether the end is in sight and how much came since. */
export function useFeedPlace(sessionId: string, virtual: Virtual, entries: Entry[]) {
  const [isAtEnd, setAtEnd] = useState(true)
  const seen = useRef(0)
  const isPlaced = useRef(false)
  const current = useRef(entries)
  current.current = entries
  if (isAtEnd) seen.current = entries.length

  useLayoutEffect(() => {
    if (isPlaced.current || entries.length === 0) return
    isPlaced.current = true
    const left = places.get(sessionId)
    const index = left ? entries.findIndex((entry) => entry.key === left.key) : -1
    if (!left || index < 0) return virtual.scrollToEnd()
    virtual.scrollToIndex(index, { align: 'start' })
    afterTwoFrames(() => virtual.scrollBy(left.offset))
  }, [entries, sessionId, virtual])

  useEffect(() => {
    const feed = virtual.scrollElement
    const note = () => {
      const isNowAtEnd = virtual.isAtEnd()
      setAtEnd(isNowAtEnd)
      if (isNowAtEnd) places.delete(sessionId)
      else keepPlace(sessionId, virtual, current.current)
    }
    feed?.addEventListener('scroll', note, { passive: true })
    return () => feed?.removeEventListener('scroll', note)
  }, [sessionId, virtual])

  return { isAtEnd, unseen: Math.max(0, entries.length - seen.current) }
}

function keepPlace(sessionId: string, virtual: Virtual, entries: Entry[]): void {
  const offset = virtual.scrollOffset ?? 0
  const first = virtual.getVirtualItemForOffset(offset)
  const entry = first && entries[first.index]
  if (first && entry) places.set(sessionId, { key: entry.key, offset: offset - first.start })
}

/** Rows are measured in the first frame they are in. */
function afterTwoFrames(act: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(act))
}
