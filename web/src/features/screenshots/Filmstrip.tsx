import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { cx } from '@/lib/cx'
import { pictureUrl } from '@/lib/url'
import type { Shot } from '@/session/shots'
import { MARK_LOOK } from './marks'
import { shotWords, useShotWords } from './shotWords'

interface Props {
  shots: Shot[]
  step: number
  onPick: (step: number) => void
}

const CELL = 92

/** All steps as small pictures; only those in sight are mounted. */
export function Filmstrip({ shots, step, onPick }: Props) {
  const t = useShotWords()
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    horizontal: true,
    count: shots.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => CELL,
    getItemKey: (index) => shots[index]?.id ?? index,
    overscan: 4,
    paddingStart: 8,
    paddingEnd: 8,
  })
  useEffect(() => virtual.scrollToIndex(step - 1, { align: 'center' }), [step, virtual])
  return (
    <div ref={scroller} role="group" aria-label={t('shot.strip')} className="hidden overflow-x-auto md:block">
      <div className="relative h-[66px]" style={{ width: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const shot = shots[index]
          return (
            shot && (
              <div key={key} className="absolute top-1" style={{ left: start }}>
                <Cell shot={shot} index={index} isCurrent={index === step - 1} onPick={onPick} />
              </div>
            )
          )
        })}
      </div>
    </div>
  )
}

interface CellProps {
  shot: Shot
  index: number
  isCurrent: boolean
  onPick: (step: number) => void
}

function Cell({ shot, index, isCurrent, onPick }: CellProps) {
  const t = useShotWords()
  const address = pictureUrl(shot.picture, 320)
  const words = [t('step.n', { n: index + 1 }), shotWords(shot, t), shot.mark && t(MARK_LOOK[shot.mark].word)]
  return (
    <button
      type="button"
      tabIndex={isCurrent ? 0 : -1}
      aria-label={words.filter(Boolean).join(', ')}
      aria-current={isCurrent ? 'step' : undefined}
      onClick={() => onPick(index + 1)}
      className={cx(
        'relative block h-[54px] w-[86px] overflow-hidden rounded-sm border-2 bg-s2',
        isCurrent ? 'border-accent' : 'border-transparent opacity-75 hover:opacity-100',
      )}
    >
      {address && (
        <img
          src={address}
          alt=""
          loading="lazy"
          decoding="async"
          className="size-full object-cover object-top"
        />
      )}
      {shot.mark && (
        <span className="absolute top-0.5 right-0.5 rounded-full bg-bg p-0.5">
          {MARK_LOOK[shot.mark].icon}
        </span>
      )}
    </button>
  )
}
