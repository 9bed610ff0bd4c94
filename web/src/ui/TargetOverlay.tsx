import type { Box } from '@/api/types'
import { cx } from '@/lib/cx'

interface Props {
  box: Box | null | undefined
  /** Where a drag begins: a dashed line. */
  isStart?: boolean
}

/** Outlines a place on a picture; percent coordinates stay right at any size. */
export function TargetOverlay({ box, isStart }: Props) {
  if (!box) return null
  const [left, top, width, height] = box
  const style = { left: `${left}%`, top: `${top}%`, width: `${width}%`, height: `${height}%` }
  return <span aria-hidden className={cx('target-mark', isStart && 'outline-dashed!')} style={style} />
}
