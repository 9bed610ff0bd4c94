import { useRef } from 'react'
import { useT } from '@/i18n'
import { cx } from '@/lib/cx'
import { INPUT } from '@/ui/Field'

interface Props {
  text: string
  /** The new text, or null when nothing is to change. */
  onDone: (text: string | null) => void
}

/** The words of a step while they are written: Enter keeps, Esc drops, leaving keeps. */
export function StepText({ text, onDone }: Props) {
  const t = useT()
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
      aria-label={t('plan.step')}
      defaultValue={text}
      maxLength={300}
      onBlur={(event) => finish(event.target.value)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Enter') finish(event.currentTarget.value)
        if (event.key === 'Escape') finish(null)
        event.stopPropagation()
      }}
      className={cx(INPUT, 'min-w-0 flex-1')}
    />
  )
}
