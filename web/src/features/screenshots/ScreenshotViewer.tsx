import { Dialog } from '@base-ui/react/dialog'
import { Download, ImageOff, X } from 'lucide-react'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { useLang } from '@/i18n'
import { chordOf, isTyping } from '@/lib/keys'
import { clock } from '@/lib/time'
import { pictureUrl } from '@/lib/url'
import { usePointing } from '@/session/pointing/pointMarks'
import { PointButton } from '@/session/pointing/PointButton'
import { isTwofold, sceneOf, type Shot, shotsOf } from '@/session/shots'
import { useLive } from '@/stream/store'
import { IconButton } from '@/ui/IconButton'
import { Filmstrip } from './Filmstrip'
import { PhaseChoice } from './PhaseChoice'
import { usePlayer } from './player'
import { ShotDetails } from './ShotDetails'
import { shotWords, useShotWords } from './shotWords'
import { Stage } from './Stage'
import { Transport } from './Transport'
import { useViewer } from './viewer'
import { stepZoom, type Zoom } from './zoom'
import { ZoomMenu } from './ZoomMenu'

/** All steps of a session with the screen of each: a picture large, a time line below. */
export default function ScreenshotViewer() {
  const t = useShotWords()
  const shots = useShots()
  const { step, show, close } = useViewer(shots.length)
  const player = usePlayer(shots, step, show)
  const [zoom, setZoom] = useState<Zoom>('fit')
  const popup = useRef<HTMLDivElement>(null)
  const shot = shots[step - 1]

  const picture = shot ? sceneOf(shot, player.phase).picture : null
  const pointAt = () => {
    if (!picture) return
    close()
    usePointing.getState().point({ picture })
  }

  const keys: Record<string, () => void> = {
    arrowleft: () => player.go(step - 1),
    arrowright: () => player.go(step + 1),
    home: () => player.go(1),
    end: () => player.go(shots.length),
    space: player.toggle,
    '+': () => setZoom(stepZoom(zoom, 1)),
    '=': () => setZoom(stepZoom(zoom, 1)),
    '-': () => setZoom(stepZoom(zoom, -1)),
    '0': () => setZoom('fit'),
    '.': pointAt,
    o: () => player.setPhase(player.phase === 'aim' ? 'result' : 'aim'),
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const act = keys[chordOf(event.nativeEvent)]
    const isPress = event.key === ' ' && event.target instanceof HTMLButtonElement
    // The key is for the menu, which is drawn before it has the focus.
    const isOpening =
      event.target instanceof Element && event.target.matches('[aria-haspopup][aria-expanded=true]')
    if (!act || isPress || isOpening || isTyping(event.target)) return
    event.preventDefault()
    act()
  }
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-bg" />
        <Dialog.Popup
          ref={popup}
          initialFocus={popup}
          onKeyDown={onKeyDown}
          className="fixed inset-0 z-30 flex flex-col bg-bg outline-none"
        >
          <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line px-2">
            <Dialog.Close render={<IconButton label={t('close')} keys="escape" />}>
              <X size={18} aria-hidden />
            </Dialog.Close>
            <Title shot={shot} step={step} count={shots.length} />
            <ZoomMenu zoom={zoom} onChange={setZoom} />
            {picture && <PointButton {...{ picture }} onPoint={close} />}
            {shot && <SaveLink address={pictureUrl(sceneOf(shot, player.phase).picture)} />}
          </header>
          {shot ? <Stage shot={shot} phase={player.phase} zoom={zoom} onZoom={setZoom} /> : <Nothing />}
          {shot && (
            <footer className="shrink-0 border-t border-line bg-s1 pb-[env(safe-area-inset-bottom)]">
              <div className="flex items-baseline gap-2 px-3 pt-1">
                <ShotDetails shot={shot} />
                {isTwofold(shot) && <PhaseChoice player={player} />}
              </div>
              <Filmstrip shots={shots} step={step} onPick={player.go} />
              <Transport shots={shots} step={step} player={player} />
            </footer>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function useShots(): Shot[] {
  const ids = useLive((state) => state.ids)
  const rows = useLive((state) => state.rows)
  return useMemo(() => shotsOf(ids, rows), [ids, rows])
}

function Title({ shot, step, count }: { shot: Shot | undefined; step: number; count: number }) {
  const t = useShotWords()
  const lang = useLang()
  if (!shot) return <Dialog.Title className="flex-1 px-1 text-sm font-medium">{t('replay')}</Dialog.Title>
  return (
    <div className="min-w-0 flex-1 px-1">
      <Dialog.Title className="truncate text-sm font-medium">{shotWords(shot, t)}</Dialog.Title>
      <p className="tabular truncate text-2xs text-muted">
        {t('shot.step', { n: step, of: count })}
        {shot.at && ` · ${clock(new Date(shot.at), lang)}`}
      </p>
    </div>
  )
}

function SaveLink({ address }: { address: string | null }) {
  const t = useShotWords()
  if (!address) return null
  return (
    <a
      href={address}
      download
      aria-label={t('shot.save')}
      title={t('shot.save')}
      className="touch inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-s2 hover:text-text"
    >
      <Download size={17} aria-hidden />
    </a>
  )
}

function Nothing() {
  const t = useShotWords()
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-2 text-muted">
      <ImageOff size={28} aria-hidden />
      <p className="text-sm">{t('shot.none')}</p>
    </div>
  )
}
