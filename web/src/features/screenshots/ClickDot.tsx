import type { Box } from '@/api/types'

const LOOK =
  'pointer-events-none absolute size-3.5 -translate-x-1/2 -translate-y-1/2 rounded-full border-2 border-[#c5221f] bg-[#c5221f]/35 ring-2 ring-[#fff]'

/** The point that was clicked: the middle of the element. */
export function ClickDot({ box }: { box: Box | null }) {
  if (!box) return null
  const [left, top, width, height] = box
  const style = { left: `${left + width / 2}%`, top: `${top + height / 2}%` }
  return <span aria-hidden data-click-dot className={LOOK} style={style} />
}
