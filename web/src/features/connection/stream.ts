import { useEffect } from 'react'
import { useLocation } from 'wouter'
import {
  applySessionChange,
  applyToQuestions,
  queryClient,
  refreshLists,
  refreshNotes,
  refreshQuestions,
  rereadFailed,
} from '@/api/queries'
import { isExpected, restoreUnsent, sendWaiting } from '@/session/send'
import { startStream } from '@/stream/connect'
import type { SessionChanged } from '@/stream/events'
import { emptyStore } from '@/stream/store'
import { notifyUser } from './alert'
import { useLinkStatus } from '@/session/linkStatus'
import { openPage } from '@/lib/base'

/** Runs the one stream of this tab while someone is signed in. */
export function useStream(): void {
  const [, go] = useLocation()
  useEffect(() => {
    const session = (changed: SessionChanged) => {
      if (changed.deleted && isExpected(changed.session_id)) return // it is not there yet
      applySessionChange(changed)
      if (changed.deleted) forget(changed.session_id)
      notifyUser(changed)
      applyToQuestions(changed)
      void refreshNotes() // a run may have proposed some, another tab may have kept them
    }
    restoreUnsent()
    return startStream({
      session,
      status: (status, isEarly) => {
        useLinkStatus.setState({ status })
        // Events from the time without a connection were missed.
        if (status === 'live') {
          if (!isEarly) {
            refreshLists()
            refreshQuestions()
          }
          rereadFailed()
          void sendWaiting()
        }
        if (status !== 'signed-out') return
        queryClient.clear()
        go(`/login?next=${encodeURIComponent(openPage())}`)
      },
    })
  }, [go])
}

/** A page that shows it loads it again: it was archived or deleted. */
function forget(sessionId: string): void {
  emptyStore(sessionId)
  void queryClient.resetQueries({ queryKey: ['session', sessionId] })
}
