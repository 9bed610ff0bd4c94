import { isOfInputMethod } from '@/lib/keys'
import { useState } from 'react'
import { api } from '@/api/client'
import { useT } from '@/i18n'
import { useSessionId } from '@/session/sessionId'
import { useSessionStore } from '@/stream/store'
import { Button } from '@/ui/Button'
import { toast } from '@/ui/Toasts'

interface Props {
  messageId: string
  text: string
  /** The whole message, with what cannot be edited here. */
  complete: (words: string) => string
  /** It has not been taken yet: nothing follows it. */
  isQueued: boolean
  onDone: () => void
}

/** The last message with other words; what followed it goes. Or a queued one. */
export function EditMessage({ messageId, text, complete, isQueued, onDone }: Props) {
  const t = useT()
  const sessionId = useSessionId()
  const store = useSessionStore()
  const [words, setWords] = useState(text)
  const save = async () => {
    if (words.trim() === '') return
    try {
      store.getState().accept(await api.editMessage(sessionId, messageId, complete(words.trim())), !isQueued)
      onDone()
    } catch (error) {
      toast((error as Error).message)
    }
  }
  return (
    <form
      className="flex flex-col gap-2 pt-5 pb-2"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <textarea
        dir="auto"
        aria-label={t('edit')}
        autoFocus
        rows={Math.min(8, words.split('\n').length + 1)}
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (isOfInputMethod(event)) return
          if (event.key === 'Escape') onDone()
          if (event.key !== 'Enter' || event.shiftKey) return
          event.preventDefault()
          void save()
        }}
        className="w-full resize-none rounded-xl border border-strong bg-bg px-4 py-2.5 text-base"
      />
      <div className="flex items-center justify-end gap-2">
        <span className="min-w-0 flex-1 text-xs text-muted">{!isQueued && t('edit.note')}</span>
        <Button small tone="quiet" onClick={onDone}>
          {t('cancel')}
        </Button>
        <Button small type="submit" tone="primary" disabled={words.trim() === ''}>
          {isQueued ? t('edit.save') : t('edit.send')}
        </Button>
      </div>
    </form>
  )
}
