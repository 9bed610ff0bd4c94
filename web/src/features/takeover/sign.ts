import { isOpen } from '@/stream/live'
import { type SessionState, useLive } from '@/stream/store'
import { type LiveState, type LiveView, useLiveState } from './liveView'

export type Sign = 'me' | 'other' | 'none' | 'connecting' | 'lost' | 'closed' | 'starting' | 'ended'

function signOf({ link, holder, browser, hasFrame }: LiveState): Sign {
  if (link !== 'open') return link
  if (holder !== 'none') return holder
  if (browser === 'closed') return 'closed'
  return hasFrame ? 'none' : 'starting'
}

/** Who controls the browser, or whether there is a picture. After a run no more frames come, so a lost connection is
 *  shown in a take-over (`isDriven`) only. */
export function useStageSign(view: LiveView, isDriven = false): Sign {
  const seen = useLiveState(view, signOf)
  const isActing = useLive(acts)
  const hasEnded = useLive(({ run }) => run !== null && !isOpen(run))
  return stageSign(seen, { isActing, hasEnded, isDriven })
}

export function stageSign(
  seen: Sign,
  { isActing, hasEnded, isDriven }: Record<'isActing' | 'hasEnded' | 'isDriven', boolean>,
): Sign {
  if (seen === 'me' || seen === 'other' || (seen === 'lost' && isDriven)) return seen
  if (hasEnded) return 'ended'
  return isActing && (seen === 'closed' || seen === 'connecting') ? 'starting' : seen
}

/** An act is under way: if the browser is closed, it is being started for it. */
const acts = ({ ids, rows, run }: SessionState): boolean =>
  isOpen(run) && ids.some((id) => rows[id]?.kind === 'tool' && rows[id].status === 'running')
