import { isOfInputMethod } from '@/lib/keys'
import { type KeyboardEvent, useState } from 'react'
import { useT } from '@/i18n'
import { Button } from '@/ui/Button'

interface Props {
  isBusy: boolean
  /** What is asked for. */
  hint: string
  sends: string
  onSend: (note: string) => void
  onCancel: () => void
}

/** As the server accepts it. */
const MAX_CHARS = 4000

/** What to do instead, sent with the no. Nothing here can approve. */
export function DenyNote({ isBusy, hint, sends, onSend, onCancel }: Props) {
  const t = useT()
  const [note, setNote] = useState('')
  const text = note.trim()
  const send = () => {
    if (text && !isBusy) onSend(text)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (isOfInputMethod(event)) return
    if (event.key === 'Escape') onCancel()
    else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      send()
    }
  }
  return (
    <>
      <textarea
        dir="auto"
        autoFocus
        rows={2}
        maxLength={MAX_CHARS}
        aria-label={hint}
        placeholder={hint}
        value={note}
        onChange={(event) => setNote(event.target.value)}
        onKeyDown={onKeyDown}
        className="w-full resize-none rounded-md border border-strong bg-bg px-3 py-2 text-sm"
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button tone="primary" disabled={isBusy || !text} onClick={send}>
          {sends}
        </Button>
        <Button tone="quiet" onClick={onCancel}>
          {t('cancel')}
        </Button>
      </div>
    </>
  )
}
