import { useSearchParams } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { replayAddress } from '@/lib/addresses'
import { useSessionId } from '@/session/sessionId'

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
        navigate(replayAddress(sessionId, target), { replace: true, state: history.state as unknown })
    },
    close: () => {
      const isInside = (history.state as { inside?: boolean } | null)?.inside === true
      if (isInside) history.back()
      else navigate(`/s/${encodeURIComponent(sessionId)}`, { replace: true })
    },
  }
}
