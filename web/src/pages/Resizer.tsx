import type { KeyboardEvent, PointerEvent } from 'react'
import { useT } from '@/i18n'
import { usePrefs } from '@/lib/prefs'

const MIN = 300
const MAX = 640
const STEP = 24

/** The line between feed and panel: dragged, or moved with the arrow keys. */
export function Resizer() {
  const t = useT()
  const { panelWidth, set } = usePrefs()
  const resize = (width: number) => set({ panelWidth: Math.round(Math.min(MAX, Math.max(MIN, width))) })
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
  }
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) resize(innerWidth - event.clientX)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: STEP, ArrowRight: -STEP }[event.key]
    if (step === undefined) return
    event.preventDefault()
    resize(panelWidth + step)
  }
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={t('panel.resize')}
      aria-valuemin={MIN}
      aria-valuemax={MAX}
      aria-valuenow={panelWidth}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
      className="relative z-10 -mr-1 w-1 shrink-0 cursor-col-resize touch-none hover:bg-accent/40 focus-visible:bg-accent"
    />
  )
}
