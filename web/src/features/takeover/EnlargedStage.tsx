import { Dialog } from '@base-ui/react/dialog'
import { Hand, X } from 'lucide-react'
import { useWords } from '@/i18n'
import { openTakeover } from '@/lib/addresses'
import { fitted } from '@/lib/fit'
import { PointButton } from '@/session/pointing/PointButton'
import { useSessionId } from '@/session/sessionId'
import { Button } from '@/ui/Button'
import { IconButton } from '@/ui/IconButton'
import { type LiveView, useLiveState } from './liveView'
import { StageBar } from './StageBar'
import { StagePicture } from './StagePicture'
import { words } from './stageWords'

/** The browser in the whole window, only to be looked at. */
export function EnlargedStage({ view, onClose }: { view: LiveView; onClose: () => void }) {
  const t = useWords(words)
  const sessionId = useSessionId()
  const [width, height] = useLiveState(view, (state) => state.viewport)
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Popup
          aria-label={t('stage.large')}
          className="overlay fixed inset-0 z-30 flex flex-col bg-bg outline-none"
        >
          <div className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-3">
            <StageBar view={view} />
            <PointButton small picture={null} onPoint={onClose} />
            <Button small tone="primary" onClick={() => openTakeover(sessionId)}>
              <Hand size={14} aria-hidden />
              {t('takeover')}
            </Button>
            <Dialog.Close render={<IconButton label={t('close')} keys="escape" />}>
              <X size={18} aria-hidden />
            </Dialog.Close>
          </div>
          <div className="flex min-h-0 flex-1 bg-s2 [container-type:size]">
            <div className="m-auto" style={fitted(width, height)}>
              <StagePicture view={view} />
            </div>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
