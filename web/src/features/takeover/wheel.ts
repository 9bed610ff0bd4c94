import { useSearchParams } from 'wouter'
import { navigate } from 'wouter/use-browser-location'

/** The chat gives its place to the page while its browser is driven by hand. */
export const openTakeover = (sessionId: string): void =>
  navigate(`/s/${encodeURIComponent(sessionId)}?view=takeover`)

export const leaveTakeover = (sessionId: string): void =>
  navigate(`/s/${encodeURIComponent(sessionId)}`, { replace: true })

export function useIsTakeover(): boolean {
  const [query] = useSearchParams()
  return query.get('view') === 'takeover'
}
