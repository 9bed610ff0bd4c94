import { type ClipboardEvent, type DragEvent, type ReactNode, useState } from 'react'
import { cx } from '@/lib/cx'
import { attach } from './attachments'

interface Props {
  sessionId: string | null
  children: ReactNode
  className?: string
}

/** Takes files that are dropped or pasted on what is in it. */
export function DropZone({ sessionId, children, className }: Props) {
  const [isOver, setOver] = useState(false)
  const onDragOver = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(true)
  }
  const onDrop = (event: DragEvent) => {
    setOver(false)
    if (event.dataTransfer.files.length === 0) return
    event.preventDefault()
    attach(sessionId, event.dataTransfer.files)
  }
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return
    event.preventDefault()
    attach(sessionId, event.clipboardData.files)
  }
  return (
    <div
      onDragOver={onDragOver}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
      onPaste={onPaste}
      className={cx('rounded-xl', isOver && 'outline-2 outline-offset-2 outline-accent', className)}
    >
      {children}
    </div>
  )
}
