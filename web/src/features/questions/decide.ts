import { useState } from 'react'
import { api } from '@/api/client'
import { ApiError } from '@/api/http'
import type { Decision } from '@/api/types'
import { focusComposer } from '@/lib/frame'
import { isTouch } from '@/lib/media'
import { useSessionId } from '@/session/sessionId'
import { useSessionStore } from '@/stream/store'

/** Sends a decision once; a question decided elsewhere is told by the stream and closes the card. */
export function useDecide() {
  const sessionId = useSessionId()
  const store = useSessionStore()
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)

  const decide = async (decision: Decision) => {
    setBusy(true)
    setFailure(null)
    try {
      await api.decide(sessionId, decision)
      store.getState().answer(decision.reference, decision.confirmed ?? decision.done ?? false)
      if (!isTouch()) focusComposer()
    } catch (error) {
      const isOver = error instanceof ApiError && (error.status === 409 || error.status === 404)
      if (isOver) store.setState({ stale: true })
      setFailure((error as Error).message)
      setBusy(false)
    }
  }
  return { decide, isBusy, failure }
}
