import { useEffect } from 'react'
import { useSearchParams } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { openTakeover, TAKEOVER_KEYS } from '@/lib/addresses'
import { useShortcuts } from '@/lib/keys'
import { useLive } from '@/stream/store'
import { reveal } from './reveal'

/** What a session answers to besides the conversation itself. */
export function ChatTools({ sessionId }: { sessionId: string }) {
  useShortcuts({ [TAKEOVER_KEYS]: () => openTakeover(sessionId) })
  useAskedRow(sessionId)
  return null
}

/** `?row=` brings a row into sight: how a hit of the search opens. */
function useAskedRow(sessionId: string): void {
  const [query] = useSearchParams()
  const rowId = query.get('row')
  const isThere = useLive((state) => state.loaded && rowId !== null && rowId in state.rows)
  useEffect(() => {
    if (!isThere || rowId === null) return
    const frame = requestAnimationFrame(() => {
      reveal(rowId)
      navigate(`/s/${encodeURIComponent(sessionId)}`, { replace: true })
    })
    return () => cancelAnimationFrame(frame)
  }, [isThere, rowId, sessionId])
}
