import type { Box } from '@/api/types'

/** The point that was clicked: the middle of the element. */
export function ClickDot({ box }: { box: Box | null }) {
  if (!box) return null
  const [left, top, width, height] = box
  return <span aria-hidden className="click-dot" style={{ left: `${left + width / 2}%`, top: `${top + height / 2}%` }} />
}
