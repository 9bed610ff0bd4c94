import type { KeyboardEvent, PointerEvent } from 'react'

interface Props {
  label: string
  value: number
  min: number
  max: number
  step: number
  /** The value when the line is at this place, in CSS pixels from the left of the window. */
  valueAt: (clientX: number) => number
  onChange: (value: number) => void
}

/** The line before what is on its right: dragged, or moved with the arrow keys, Home and End. */
export function Resizer({ label, value, min, max, step, valueAt, onChange }: Props) {
  const resize = (width: number) => onChange(Math.round(Math.min(max, Math.max(min, width))))
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
  }
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) resize(valueAt(event.clientX))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowLeft: value + step, ArrowRight: value - step, Home: max, End: min }[event.key]
    if (next === undefined) return
    event.preventDefault()
    resize(next)
  }
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={value}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
      className="print:hidden relative z-10 -mr-1 w-1 shrink-0 cursor-col-resize touch-none hover:bg-accent/40 focus-visible:bg-accent"
    />
  )
}
