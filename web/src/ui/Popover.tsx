import { type ReactNode, type ToggleEvent, useId, useRef, useState } from 'react'

interface Props {
  /** The button's content, which is its name too; `className` is the button's. */
  trigger: ReactNode
  className?: string
  label: string
  children: () => ReactNode
}

const GAP = 6
const WIDTH = 320

/** A small card below its button. The browser itself closes it by Esc or a click outside. */
export function Popover({ trigger, className, label, children }: Props) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const [place, setPlace] = useState<{ top: number; right: number } | null>(null)
  const onToggle = (event: ToggleEvent) => {
    const rect = button.current?.getBoundingClientRect()
    if (event.newState === 'closed' || !rect) setPlace(null)
    else
      setPlace({ top: rect.bottom + GAP, right: Math.min(innerWidth - rect.right, innerWidth - WIDTH - GAP) })
  }
  return (
    <>
      <button ref={button} type="button" popoverTarget={id} className={className}>
        {trigger}
      </button>
      <div
        id={id}
        popover="auto"
        role={place ? 'dialog' : undefined}
        aria-label={label}
        onToggle={onToggle}
        style={place ?? undefined}
        className="fixed inset-auto m-0 w-80 rounded-lg border border-line bg-bg p-4 text-text shadow-lg shadow-backdrop/10"
      >
        {place && children()}
      </div>
    </>
  )
}
