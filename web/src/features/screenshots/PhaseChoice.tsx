import { cx } from '@/lib/cx'
import type { Player } from './player'
import { useShotWords } from './shotWords'

/** Before and after of a step side by side: a switch between them. */
export function PhaseChoice({ player: { phase, setPhase } }: { player: Player }) {
  const t = useShotWords()
  return (
    <div role="group" aria-label={t('shot.phase')} className="flex shrink-0 rounded-md bg-s2 p-0.5">
      {(['aim', 'result'] as const).map((value) => (
        <button
          key={value}
          type="button"
          aria-pressed={phase === value}
          onClick={() => setPhase(value)}
          className={cx(
            'touch h-7 rounded-sm px-2 text-xs',
            phase === value ? 'bg-bg font-medium text-text' : 'text-muted hover:text-text',
          )}
        >
          {t(`shot.${value}`)}
        </button>
      ))}
    </div>
  )
}
