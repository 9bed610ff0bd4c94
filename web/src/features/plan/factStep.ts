import type { Fact } from '@/api/types'
import type { Shot } from '@/session/shots'

/** Times of facts are cut to seconds. */
const CUT = 1000

/** The step, counted from 1, after which the page showed this fact: the last one there before it was noted. */
export function stepOf({ url, at }: Fact, shots: Shot[]): number | null {
  if (!url) return null
  const noted = at ? Date.parse(at) + CUT : Infinity
  const index = shots.findLastIndex(
    (shot) => shot.url === url && (shot.at === null || Date.parse(shot.at) <= noted),
  )
  return index < 0 ? null : index + 1
}
