import { useSearchParams } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { useSessionId } from '@/session/sessionId'
import { type SessionStore, useSessionStore } from '@/stream/store'
import { shotsOf } from './shots'

const addressOf = (sessionId: string, step: number) =>
  `/s/${encodeURIComponent(sessionId)}/replay?step=${step}`

/** Opens the viewer; closing it comes back to where it was opened. */
export function openAt(sessionId: string, step: number): void {
  navigate(addressOf(sessionId, step), { state: { inside: true } })
}

/** Opens the viewer at the step of a row. */
export function useOpenViewer(): (rowId: string) => void {
  const sessionId = useSessionId()
  const store = useSessionStore()
  return (rowId) => openAt(sessionId, stepOf(store, rowId))
}

function stepOf(store: SessionStore, rowId: string): number {
  const { ids, rows } = store.getState()
  return (
    Math.max(
      0,
      shotsOf(ids, rows).findIndex((shot) => shot.id === rowId),
    ) + 1
  )
}

export const openReplay = (sessionId: string): void => openAt(sessionId, 1)

/** The step in the address, counted from 1, and ways to change it. */
export function useViewer(count: number) {
  const sessionId = useSessionId()
  const [query] = useSearchParams()
  const asked = Math.trunc(Number(query.get('step')))
  const step = Math.min(Math.max(asked || 1, 1), Math.max(count, 1))
  return {
    step,
    show: (next: number) => {
      const target = Math.min(Math.max(next, 1), count)
      if (target !== step)
        navigate(addressOf(sessionId, target), { replace: true, state: history.state as unknown })
    },
    close: () => {
      const isInside = (history.state as { inside?: boolean } | null)?.inside === true
      if (isInside) history.back()
      else navigate(`/s/${encodeURIComponent(sessionId)}`, { replace: true })
    },
  }
}
