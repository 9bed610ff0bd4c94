import { useCaption } from './caption'
import { LiveBadge } from './LiveBadge'
import type { LiveView } from './liveView'
import { useStageSign } from './sign'

/** Whether the browser is live, and what the agent does there in human words. */
export function StageBar({ view }: { view: LiveView }) {
  const caption = useCaption(useStageSign(view) === 'starting')
  return (
    <>
      <LiveBadge view={view} />
      <span data-caption className="min-w-0 flex-1 truncate text-sm" title={caption}>
        {caption}
      </span>
    </>
  )
}
