import type { Virtualizer } from '@tanstack/react-virtual'
import { useEffect } from 'react'
import type { Entry } from './entries'

const EVENT = 'pilothouse:reveal'

/** Asks the feed to bring a row into sight and give it the focus. */
export function reveal(rowId: string): void {
  dispatchEvent(new CustomEvent(EVENT, { detail: rowId }))
}

export function useReveal(
  virtual: Virtualizer<HTMLDivElement, Element>,
  entries: Entry[],
  follow: (isWanted: boolean) => void,
): void {
  useEffect(() => {
    const onReveal = (event: Event) => {
      const id = (event as CustomEvent<string>).detail
      const index = entries.findIndex((entry) =>
        entry.kind === 'row' ? entry.id === id : entry.ids.includes(id),
      )
      if (index < 0) return
      follow(index === entries.length - 1)
      virtual.scrollToIndex(index, { align: 'center' })
      requestAnimationFrame(() => focusRow(virtual, index))
    }
    addEventListener(EVENT, onReveal)
    return () => removeEventListener(EVENT, onReveal)
  }, [virtual, entries, follow])
}

function focusRow(virtual: Virtualizer<HTMLDivElement, Element>, index: number): void {
  const row = virtual.scrollElement?.querySelector<HTMLElement>(`[data-index="${index}"]`)
  row?.focus({ preventScroll: true })
}
