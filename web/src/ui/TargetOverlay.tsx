import type { Box } from '@/api/types'

/** Outlines a place on a picture; percent coordinates stay right at any size. */
export function TargetOverlay({ box }: { box: Box | null | undefined }) {
  if (!box) return null
  const [left, top, width, height] = box
  const style = { left: `${left}%`, top: `${top}%`, width: `${width}%`, height: `${height}%` }
  return <span aria-hidden className="target-mark" style={style} />
}
