import type { Virtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef } from 'react'
import type { Entry } from './entries'

type Virtual = Virtualizer<HTMLDivElement, Element>

/** Where someone had scrolled up to: a row and how far below its top. Sessions at their end are not kept. */
const places = new Map<string, { key: string; offset: number }>()

/** Opens a feed at its end, or where it was left. */
export function usePlace(
  sessionId: string,
  virtual: Virtual,
  entries: Entry[],
  follow: (isWanted: boolean) => void,
) {
  const isPlaced = useRef(false)
  const current = useRef(entries)
  current.current = entries

  useLayoutEffect(() => {
    if (isPlaced.current || entries.length === 0) return
    isPlaced.current = true
    const left = places.get(sessionId)
    const index = left ? entries.findIndex((entry) => entry.key === left.key) : -1
    if (!left || index < 0) return virtual.scrollToEnd()
    follow(false)
    virtual.scrollToIndex(index, { align: 'start' })
    afterTwoFrames(() => virtual.scrollBy(left.offset))
  }, [entries, sessionId, virtual, follow])

  useEffect(() => {
    const feed = virtual.scrollElement
    const note = () => keepPlace(sessionId, virtual, current.current)
    feed?.addEventListener('scroll', note, { passive: true })
    return () => feed?.removeEventListener('scroll', note)
  }, [sessionId, virtual])
}

function keepPlace(sessionId: string, virtual: Virtual, entries: Entry[]): void {
  const offset = virtual.scrollOffset ?? 0
  const first = virtual.getVirtualItemForOffset(offset)
  const entry = first && entries[first.index]
  if (virtual.isAtEnd() || !first || !entry) places.delete(sessionId)
  else places.set(sessionId, { key: entry.key, offset: offset - first.start })
}

/** Rows are measured in the first frame they are in. */
function afterTwoFrames(act: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(act))
}
