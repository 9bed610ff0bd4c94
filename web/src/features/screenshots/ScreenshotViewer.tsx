import { Dialog } from '@base-ui/react/dialog'
import { ChevronLeft, ChevronRight, X } from 'lucide-react'
import { type KeyboardEvent, useMemo } from 'react'
import { toolWords } from '@/features/chat/toolWords'
import { useLang, useT } from '@/i18n'
import { clock } from '@/lib/time'
import { pictureUrl } from '@/lib/url'
import type { ToolRow } from '@/stream/rows'
import { useLive } from '@/stream/store'
import { IconButton } from '@/ui/IconButton'
import { TargetOverlay } from './TargetOverlay'
import { useViewer } from './viewer'

/** One screenshot large, with the steps before and after it. */
export default function ScreenshotViewer() {
  const t = useT()
  const { rowId, open, close } = useViewer()
  const shots = useShots()
  const index = shots.findIndex((shot) => shot.id === rowId)
  const shot = shots[index]
  const show = (next: number) => {
    const target = shots[Math.min(Math.max(next, 0), shots.length - 1)]
    if (target) open(target.id)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const goals: Record<string, number> = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: shots.length - 1 }
    const goal = goals[event.key]
    if (goal !== undefined) show(goal)
  }
  return (
    <Dialog.Root open={shot !== undefined} onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="overlay fixed inset-0 z-30 bg-bg" />
        <Dialog.Popup onKeyDown={onKeyDown} className="fixed inset-0 z-30 flex flex-col">
          {shot && (
            <>
              <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-2">
                <Dialog.Close render={<IconButton label={t('close')} keys="escape" />}>
                  <X size={18} aria-hidden />
                </Dialog.Close>
                <Title shot={shot} index={index} count={shots.length} />
                <IconButton label={t('shot.previous')} keys="left" disabled={index === 0} onClick={() => show(index - 1)}>
                  <ChevronLeft size={18} aria-hidden />
                </IconButton>
                <IconButton
                  label={t('shot.next')}
                  keys="right"
                  disabled={index === shots.length - 1}
                  onClick={() => show(index + 1)}
                >
                  <ChevronRight size={18} aria-hidden />
                </IconButton>
              </header>
              <Picture shot={shot} />
            </>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function useShots(): ToolRow[] {
  const ids = useLive((state) => state.ids)
  const rows = useLive((state) => state.rows)
  return useMemo(
    () => ids.map((id) => rows[id]).filter((row): row is ToolRow => row?.kind === 'tool' && row.screenshot !== null),
    [ids, rows],
  )
}

function Title({ shot, index, count }: { shot: ToolRow; index: number; count: number }) {
  const t = useT()
  const lang = useLang()
  const { verb, name, object } = toolWords(shot)
  return (
    <div className="min-w-0 flex-1">
      <Dialog.Title className="truncate text-sm font-medium">
        {verb ? t(verb) : name} {object}
      </Dialog.Title>
      <p className="tabular truncate text-2xs text-faint">
        {[t('shot.place', { n: index + 1, of: count }), shot.at && clock(new Date(shot.at), lang), shot.url]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </div>
  )
}

function Picture({ shot }: { shot: ToolRow }) {
  const t = useT()
  const address = pictureUrl(shot.screenshot)
  if (!address) return null
  return (
    <div className="flex min-h-0 flex-1 items-center justify-center overflow-hidden bg-s2 p-3">
      <div className="relative flex max-h-full max-w-full">
        <img
          key={address}
          src={address}
          alt={t('shot.alt', { what: shot.url ?? shot.summary })}
          className="max-h-[calc(100dvh-72px)] max-w-full rounded-sm border border-line object-contain"
        />
        <TargetOverlay box={shot.box} />
      </div>
    </div>
  )
}
