import { useState } from 'react'
import { api } from '@/api/client'
import { useWords } from '@/i18n'
import { leaveTakeover } from '@/lib/addresses'
import { useSessionId } from '@/session/sessionId'
import { isOpen as isRunOpen } from '@/stream/live'
import { useLive } from '@/stream/store'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { toast } from '@/ui/Toasts'
import type { LiveView } from './liveView'
import { words } from './takeoverWords'

interface Props {
  view: LiveView
  open: boolean
  onClose: () => void
}

/** The browser goes back to the agent, with a word if the person has one. */
export function HandBackDialog({ view, open, onClose }: Props) {
  const t = useWords(words)
  const sessionId = useSessionId()
  const hasRun = useLive((state) => isRunOpen(state.run))
  const [note, setNote] = useState('')
  const giveBack = (isEnd: boolean) => {
    view.release(note.trim() || undefined)
    if (isEnd) void api.cancel(sessionId).catch((error: Error) => toast(error.message))
    leaveTakeover(sessionId)
  }
  return (
    <Dialog open={open} onClose={onClose} title={t('done.title')}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          giveBack(false)
        }}
      >
        <p className="text-sm text-muted">{t('done.about')}</p>
        <textarea
          rows={3}
          maxLength={4000}
          aria-label={t('done.note')}
          placeholder={t('done.note')}
          value={note}
          onChange={(event) => setNote(event.target.value)}
          className="w-full resize-none rounded-md border border-strong bg-bg px-3 py-2 text-sm"
        />
        <div className="flex justify-end gap-2">
          {hasRun && (
            <Button tone="quiet" onClick={() => giveBack(true)}>
              {t('done.end')}
            </Button>
          )}
          <Button type="submit" tone="primary">
            {hasRun ? t('done.continue') : t('done.return')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
