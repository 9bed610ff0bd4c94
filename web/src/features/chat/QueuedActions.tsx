import { CornerDownRight, PenLine, X } from 'lucide-react'
import { api } from '@/api/client'
import { useT } from '@/i18n'
import { useSessionId } from '@/session/sessionId'
import { useLive, useSessionStore } from '@/stream/store'
import { Button } from '@/ui/Button'
import { toast } from '@/ui/Toasts'

interface Props {
  messageId: string
  /** It asks for no table: that only a task of its own can. */
  canSteer: boolean
  onEdit: () => void
}

/** What can be done with a message that waits for the end of the run before it. */
export function QueuedActions({ messageId, canSteer, onEdit }: Props) {
  const t = useT()
  const sessionId = useSessionId()
  const store = useSessionStore()
  const isAsked = useLive((state) => state.pending !== null)
  /** The stream reports a message that is taken in the meantime. */
  const act = (sent: Promise<unknown>) => void sent.catch((error: Error) => toast(error.message))
  const steer = async () => store.getState().accept(await api.steerQueued(sessionId, messageId))
  return (
    <span className="flex flex-wrap items-center justify-end gap-1">
      <Button small tone="quiet" onClick={onEdit}>
        <PenLine size={13} aria-hidden />
        {t('edit')}
      </Button>
      {canSteer && !isAsked && (
        <Button small tone="quiet" onClick={() => act(steer())}>
          <CornerDownRight size={13} aria-hidden />
          {t('queued.now')}
        </Button>
      )}
      <Button small tone="quiet" onClick={() => act(api.removeQueued(sessionId, messageId))}>
        <X size={13} aria-hidden />
        {t('cancel')}
      </Button>
    </span>
  )
}
