import { ChevronRight } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { cx } from '@/lib/cx'

interface Props {
  open: boolean
  onToggle: () => void
  summary: ReactNode
  /** Lines under the summary that stay in sight. */
  note?: ReactNode
  children?: ReactNode
  className?: string
}

/** One line that opens what is below it. */
export function Disclosure({ open, onToggle, summary, note, children, className }: Props) {
  const id = useId()
  return (
    <div className={className}>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={onToggle}
        className="group flex min-h-7 w-full min-w-0 flex-col rounded-md py-0.5 text-start"
      >
        <span className="flex max-w-full items-center gap-1.5">
          {summary}
          <ChevronRight
            size={14}
            aria-hidden
            className={cx(
              'shrink-0 text-faint transition-transform group-hover:text-text',
              open && 'rotate-90',
            )}
          />
        </span>
        {note}
      </button>
      {open && <div id={id}>{children}</div>}
    </div>
  )
}
