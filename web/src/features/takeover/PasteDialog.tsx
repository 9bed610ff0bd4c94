import { useState } from 'react'
import { useWords } from '@/i18n'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import type { LiveView } from './liveView'
import { words } from './takeoverWords'

/** Text for the page where the clipboard cannot be read, or without a keyboard. */
export function PasteDialog({ view, open, onClose }: { view: LiveView; open: boolean; onClose: () => void }) {
  const t = useWords(words)
  const [text, setText] = useState('')
  const send = () => {
    view.send({ type: 'text', text })
    setText('')
    onClose()
  }
  return (
    <Dialog open={open} onClose={onClose} title={t('paste')}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <p className="text-sm text-muted">{t('paste.about')}</p>
        <textarea
          rows={4}
          aria-label={t('paste.text')}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="w-full resize-none rounded-md border border-strong bg-bg px-3 py-2 text-sm"
        />
        <Button type="submit" tone="primary" className="self-end" disabled={text === ''}>
          {t('paste.do')}
        </Button>
      </form>
    </Dialog>
  )
}
