import { useEffect, useState } from 'react'
import { api } from '@/api/client'
import { ApiError } from '@/api/http'
import { isOpen } from '@/stream/live'
import { useLive } from '@/stream/store'
import { toast } from '@/ui/Toasts'

/** Stop, pause and resume the run of a session. */
export function useRunControls(sessionId: string) {
  const status = useLive((state) => (isOpen(state.run) ? state.run.status : null))
  const [isStopping, setStopping] = useState(false)
  useEffect(() => {
    if (status === null) setStopping(false)
  }, [status])

  const call = async (action: () => Promise<unknown>) => {
    try {
      await action()
    } catch (error) {
      setStopping(false)
      const isOver = error instanceof ApiError && error.status === 409
      if (!isOver) toast((error as Error).message)
    }
  }
  return {
    status,
    isStopping,
    stop: () => {
      setStopping(true)
      void call(() => api.cancel(sessionId))
    },
    pause: () => void call(() => api.pause(sessionId)),
    resume: () => void call(() => api.resume(sessionId)),
  }
}
