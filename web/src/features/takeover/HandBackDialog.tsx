import { useEffect, useState } from 'react'
import { api } from '@/api/client'
import { useWords } from '@/i18n'
import { leaveTakeover } from '@/lib/addresses'
import { isMac, isOfInputMethod } from '@/lib/keys'
import { sendMessage } from '@/session/send'
import { useSessionId } from '@/session/sessionId'
import { isOpen as isRunOpen } from '@/stream/live'
import { useLive } from '@/stream/store'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Kbd } from '@/ui/Kbd'
import { toast } from '@/ui/Toasts'
import { KeepLogin } from './KeepLogin'
import type { LiveView } from './liveView'
import { words } from './takeoverWords'

interface Props {
  view: LiveView
  isGuest?: boolean
  open: boolean
  onClose: () => void
}

/** The browser goes back to the agent, with a word if the person has one; an ended task can go on with it. */
export function HandBackDialog({ view, isGuest = false, open, onClose }: Props) {
  const t = useWords(words)
  const sessionId = useSessionId()
  const hasRun = useLive((state) => isRunOpen(state.run))
  const hasEnded = useLive((state) => state.run !== null && !isRunOpen(state.run))
  const [note, setNote] = useState('')
  useEffect(() => {
    if (open && !isGuest) view.send({ type: 'login' })
  }, [view, open, isGuest])
  // The holder of a link does not see whether a run is at work.
  const kind = isGuest ? '.guest' : hasEnded ? '.ended' : ''
  const word = note.trim()
  const label = t(hasEnded ? 'done.ended.note' : 'done.note')
  const giveBack = (then?: () => void) => {
    view.release(hasEnded ? undefined : word || undefined)
    then?.()
    if (isGuest) onClose()
    else leaveTakeover(sessionId)
  }
  const end = () => giveBack(() => void api.cancel(sessionId).catch((error: Error) => toast(error.message)))
  const continueRun = () => giveBack(() => sendMessage(sessionId, word || t('done.ended.message'), null))
  const submit = hasEnded ? continueRun : () => giveBack()
  return (
    <Dialog open={open} onClose={onClose} title={t(`done${kind}.title`)}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <KeepLogin view={view} />
        <p className="text-sm text-muted">{t(`done${kind}.about`)}</p>
        <textarea
          dir="auto"
          rows={3}
          maxLength={4000}
          aria-label={label}
          placeholder={label}
          value={note}
          onChange={(event) => setNote(event.target.value)}
          onKeyDown={(event) => {
            const isCombined = isMac ? event.metaKey : event.ctrlKey
            if (event.key !== 'Enter' || !isCombined || isOfInputMethod(event)) return
            event.preventDefault()
            submit()
          }}
          className="w-full resize-none rounded-md border border-strong bg-bg px-3 py-2 text-sm"
        />
        <div className="flex flex-wrap items-center justify-end gap-2">
          <span className="mr-auto pointer-coarse:hidden">
            <Kbd keys="mod+enter" />
          </span>
          {hasRun && (
            <Button tone="quiet" onClick={end}>
              {t('done.end')}
            </Button>
          )}
          {hasEnded && (
            <Button tone="quiet" onClick={() => giveBack()}>
              {t('done.return')}
            </Button>
          )}
          <Button type="submit" tone="primary">
            {t(hasEnded ? 'done.ended.continue' : hasRun ? 'done.continue' : 'done.return')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
