import type { Virtualizer } from '@tanstack/react-virtual'
import { useEffect } from 'react'
import type { Entry } from './entries'
import type { FollowStop } from './stop'

type Virtual = Virtualizer<HTMLDivElement, Element>

const EVENT = 'pilothouse:reveal'

/** Asks the feed to bring a row, or the entry of this key, into sight and give it the focus. */
export function reveal(rowId: string): void {
  dispatchEvent(new CustomEvent(EVENT, { detail: rowId }))
}

interface Feed {
  virtual: Virtual
  entries: Entry[]
  stop: FollowStop
  follow: (isWanted: boolean) => void
}

export function useReveal({ virtual, entries, stop, follow }: Feed): void {
  useEffect(() => {
    const onReveal = (event: Event) => {
      const id = (event as CustomEvent<string>).detail
      const own = entries.findIndex((entry) => entry.key === id)
      const index =
        own >= 0 ? own : entries.findIndex((entry) => entry.kind !== 'row' && entry.ids.includes(id))
      if (index < 0) return
      follow(index === entries.length - 1)
      const isAtAnswers = stop.asked?.index === index && stop.call(stop.asked) === 'answers'
      if (isAtAnswers) stop.goOn()
      else virtual.scrollToIndex(index, { align: isTall(virtual, index) ? 'start' : 'center' })
      requestAnimationFrame(() => focusRow(virtual, index))
    }
    addEventListener(EVENT, onReveal)
    return () => removeEventListener(EVENT, onReveal)
  }, [virtual, entries, stop, follow])
}

/** Such a row is read from its top. */
const isTall = (virtual: Virtual, index: number) =>
  virtual.measurementsCache[index]!.size > virtual.scrollElement!.clientHeight

function focusRow(virtual: Virtual, index: number): void {
  const row = virtual.scrollElement?.querySelector<HTMLElement>(`[data-index="${index}"]`)
  row?.focus({ preventScroll: true })
}
