import { isOfInputMethod } from '@/lib/keys'
import { useRef } from 'react'
import { cx } from '@/lib/cx'
import { INPUT } from './Field'

interface Props {
  label: string
  text: string
  /** Characters. */
  most: number
  /** The new text, or null when nothing is to change. */
  onDone: (text: string | null) => void
  className?: string
}

/** A line of text while it is edited in its place: Enter keeps, Esc drops, leaving keeps. */
export function TextEditor({ label, text, most, onDone, className }: Props) {
  const isDone = useRef(false)
  const finish = (next: string | null) => {
    if (isDone.current) return
    isDone.current = true
    const trimmed = next?.trim()
    onDone(trimmed && trimmed !== text ? trimmed : null)
  }
  return (
    <input
      autoFocus
      dir="auto"
      aria-label={label}
      defaultValue={text}
      maxLength={most}
      onFocus={(event) => event.target.select()}
      onBlur={(event) => finish(event.target.value)}
      onKeyDown={(event) => {
        if (isOfInputMethod(event)) return
        if (event.key === 'Enter') finish(event.currentTarget.value)
        if (event.key === 'Escape') finish(null)
        event.stopPropagation()
      }}
      className={cx(INPUT, className)}
    />
  )
}
