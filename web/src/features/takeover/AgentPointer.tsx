import { MousePointer2 } from 'lucide-react'
import { type LiveView, useLiveState } from './liveView'

/** Where the agent acts, or acted last: it glides there, so that the eye can follow. */
export function AgentPointer({ view }: { view: LiveView }) {
  const at = useLiveState(view, (state) => state.pointer)
  const isAiming = useLiveState(view, (state) => state.target !== null)
  if (!at) return null
  return (
    <MousePointer2
      data-agent-pointer={isAiming ? 'aiming' : 'resting'}
      aria-hidden
      size={26}
      strokeWidth={1.5}
      stroke="#fff"
      className="agent-pointer"
      style={{ left: `${at[0]}%`, top: `${at[1]}%` }}
    />
  )
}
