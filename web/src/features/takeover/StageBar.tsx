import { useCaption } from './caption'
import { LiveBadge } from './LiveBadge'
import type { LiveView } from './liveView'
import { useStageSign } from './sign'

/** Whether the browser is live, and what the agent does there in human words. While it is not streamed, only its end is known. */
export function StageBar({ view, isWatched = true }: { view: LiveView; isWatched?: boolean }) {
  const sign = useStageSign(view)
  const caption = useCaption(isWatched && sign === 'starting')
  return (
    <>
      {(isWatched || sign === 'ended') && <LiveBadge view={view} />}
      <span data-caption className="min-w-0 flex-1 truncate text-sm" title={caption}>
        {caption}
      </span>
    </>
  )
}
