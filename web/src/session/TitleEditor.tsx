import { useRef } from 'react'
import { useT } from '@/i18n'
import { cx } from '@/lib/cx'
import { INPUT } from '@/ui/Field'

interface Props {
  title: string
  /** The new title, or null when it stays as it was. */
  onDone: (title: string | null) => void
  className?: string
}

/** Enter keeps, Esc drops, leaving keeps. */
export function TitleEditor({ title, onDone, className }: Props) {
  const t = useT()
  const isDone = useRef(false)
  const finish = (next: string | null) => {
    if (isDone.current) return
    isDone.current = true
    const trimmed = next?.trim()
    onDone(trimmed && trimmed !== title ? trimmed : null)
  }
  return (
    <input
      aria-label={t('sessions.title')}
      defaultValue={title}
      autoFocus
      maxLength={200}
      onFocus={(event) => event.target.select()}
      onBlur={(event) => finish(event.target.value)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Enter') finish(event.currentTarget.value)
        if (event.key === 'Escape') finish(null)
        event.stopPropagation()
      }}
      className={cx(INPUT, className)}
    />
  )
}
