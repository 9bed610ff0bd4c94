import type { Virtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
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
    const frame = requestAnimationFrame(() => virtual.scrollBy(left.offset))
    return () => cancelAnimationFrame(frame)
  }, [entries, sessionId, virtual])

  useEffect(() => () => keepPlace(sessionId, virtual, current.current), [sessionId, virtual])

  const note = useCallback((instance: Virtual) => {
    if (isPlaced.current) setAtEnd(instance.isAtEnd())
  }, [])
  return { isAtEnd, unseen: Math.max(0, entries.length - seen.current), note }
}

function keepPlace(sessionId: string, virtual: Virtual, entries: Entry[]): void {
  const offset = virtual.scrollOffset ?? 0
  const first = virtual.getVirtualItemForOffset(offset)
  const entry = first && entries[first.index]
  if (virtual.isAtEnd() || !first || !entry) places.delete(sessionId)
  else places.set(sessionId, { key: entry.key, offset: offset - first.start })
}
