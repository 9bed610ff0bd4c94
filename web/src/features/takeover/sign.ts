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

/** Who drives, or whether anything is to be seen. */
export function useStageSign(view: LiveView): Sign {
  const sign = useLiveState(view, signOf)
  const isActing = useLive(acts)
  const hasEnded = useLive(({ run }) => run !== null && !isOpen(run))
  if (sign === 'me' || sign === 'other' || sign === 'lost') return sign
  if (hasEnded) return 'ended'
  return isActing && (sign === 'closed' || sign === 'connecting') ? 'starting' : sign
}

/** An act is under way: if the browser is closed, it is being started for it. */
const acts = ({ ids, rows, run }: SessionState): boolean =>
  isOpen(run) && ids.some((id) => rows[id]?.kind === 'tool' && rows[id].status === 'running')
