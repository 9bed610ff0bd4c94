import { Upload } from 'lucide-react'
import { type ClipboardEvent, type ReactNode, useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { useWords } from '@/i18n'
import { filesIn, hasFiles, longTextIn } from '@/lib/pasted'
import { attach } from './attachments'
import { words } from './filesWords'

interface Props {
  sessionId: string | null
  children: ReactNode
}

/** Takes files that are dropped anywhere on the page, and files and long texts that are pasted on what is in it. */
export function DropZone({ sessionId, children }: Props) {
  const t = useWords(words)
  const isOver = useDrops((files) => attach(sessionId, files))
  const onPaste = (event: ClipboardEvent) => {
    const files = filesIn(event.clipboardData)
    const text = files.length > 0 ? null : longTextIn(event.clipboardData)
    if (files.length === 0 && text === null) return
    event.preventDefault()
    attach(sessionId, text === null ? files : [new File([text], t('paste.name'), { type: 'text/plain' })])
  }
  return (
    <div onPaste={onPaste}>
      {children}
      {isOver && createPortal(<Overlay />, document.body)}
    </div>
  )
}

function Overlay() {
  const t = useWords(words)
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-2 z-40 flex items-center justify-center gap-3 rounded-xl border-2 border-dashed border-accent bg-bg/90 text-lg font-medium"
    >
      <Upload size={24} aria-hidden className="text-accent-text" />
      {t('drop.here')}
    </div>
  )
}

/** The whole window takes files; what a part of it has taken itself is left to that. Returns whether files are over it. */
function useDrops(take: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event.dataTransfer)) return
      event.preventDefault()
      setOver(true)
    }
    // Nothing is entered when the pointer leaves the window.
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false)
    const drop = (event: DragEvent) => {
      setOver(false)
      if (event.defaultPrevented || !event.dataTransfer || !hasFiles(event.dataTransfer)) return
      event.preventDefault()
      take(filesIn(event.dataTransfer))
    }
    // Of the document: before `swallowDrops`, which takes what reaches the window.
    document.addEventListener('dragover', over)
    document.addEventListener('dragleave', leave)
    document.addEventListener('drop', drop)
    return () => {
      document.removeEventListener('dragover', over)
      document.removeEventListener('dragleave', leave)
      document.removeEventListener('drop', drop)
    }
  })
  return isOver
}
