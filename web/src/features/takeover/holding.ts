import { create } from 'zustand'

/** The sessions whose browser this tab has. Kept apart, so that the chat need not load the live view. */
const useHeld = create<{ ids: ReadonlySet<string> }>(() => ({ ids: new Set() }))

export function setHolding(sessionId: string, isHeld: boolean): void {
  const { ids } = useHeld.getState()
  if (ids.has(sessionId) === isHeld) return
  const next = new Set(ids)
  if (isHeld) next.add(sessionId)
  else next.delete(sessionId)
  useHeld.setState({ ids: next })
}

export const useIsHolding = (sessionId: string): boolean => useHeld(({ ids }) => ids.has(sessionId))
