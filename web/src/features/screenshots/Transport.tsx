import { ChevronLeft, ChevronRight, Pause, Play } from 'lucide-react'
import { useLang } from '@/i18n'
import { cx } from '@/lib/cx'
import type { Shot } from '@/session/shots'
import { IconButton } from '@/ui/IconButton'
import { Menu, MenuChoice, MenuOption } from '@/ui/Menu'
import { MARK_LOOK } from './marks'
import { type Player, type Speed, SPEEDS } from './player'
import { shotWords, useShotWords } from './shotWords'

interface Props {
  shots: Shot[]
  step: number
  player: Player
}

/** Back, play, forward and the time line. */
export function Transport({ shots, step, player }: Props) {
  const t = useShotWords()
  return (
    <div className="flex h-12 items-center gap-1 px-2">
      <IconButton
        label={t('shot.previous')}
        keys="left"
        disabled={step <= 1}
        onClick={() => player.go(step - 1)}
      >
        <ChevronLeft size={18} aria-hidden />
      </IconButton>
      <IconButton label={player.isPlaying ? t('pause') : t('play')} keys="space" onClick={player.toggle}>
        {player.isPlaying ? <Pause size={17} aria-hidden /> : <Play size={17} aria-hidden />}
      </IconButton>
      <IconButton
        label={t('shot.next')}
        keys="right"
        disabled={step >= shots.length}
        onClick={() => player.go(step + 1)}
      >
        <ChevronRight size={18} aria-hidden />
      </IconButton>
      <TimeLine shots={shots} step={step} onGo={player.go} />
      <SpeedMenu player={player} />
    </div>
  )
}

function TimeLine({ shots, step, onGo }: { shots: Shot[]; step: number; onGo: (step: number) => void }) {
  const t = useShotWords()
  const shot = shots[step - 1]
  return (
    <div className="relative mx-2 min-w-0 flex-1">
      <input
        type="range"
        min={1}
        max={Math.max(shots.length, 1)}
        value={step}
        aria-label={t('shot.timeline')}
        aria-valuetext={shot && `${t('shot.step', { n: step, of: shots.length })}: ${shotWords(shot, t)}`}
        onChange={(event) => onGo(Number(event.target.value))}
        className="touch block h-6 w-full accent-accent"
      />
      <span aria-hidden className="pointer-events-none absolute inset-x-2 top-1/2 h-2 -translate-y-4">
        {shots.map(
          ({ id, mark }, index) =>
            mark && (
              <span
                key={id}
                data-mark={mark}
                className={cx('absolute h-full w-0.5 -translate-x-1/2 rounded-full', MARK_LOOK[mark].line)}
                style={{ left: `${(100 * index) / Math.max(shots.length - 1, 1)}%` }}
              />
            ),
        )}
      </span>
    </div>
  )
}

function SpeedMenu({ player: { speed, setSpeed } }: { player: Player }) {
  const t = useShotWords()
  const lang = useLang()
  const words = (value: Speed) => `${new Intl.NumberFormat(lang).format(value)}×`
  const trigger = (
    <button
      type="button"
      aria-label={`${t('play.speed')}: ${words(speed)}`}
      className="touch tabular h-8 shrink-0 rounded-md px-2 text-xs text-muted hover:bg-s2 hover:text-text"
    >
      {words(speed)}
    </button>
  )
  return (
    <Menu trigger={trigger} side="top">
      <MenuChoice
        label={t('play.speed')}
        value={String(speed)}
        onChange={(value) => setSpeed(Number(value) as Speed)}
      >
        {SPEEDS.map((value) => (
          <MenuOption key={value} value={String(value)}>
            {words(value)}
          </MenuOption>
        ))}
      </MenuChoice>
    </Menu>
  )
}
