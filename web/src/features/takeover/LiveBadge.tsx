import { CircleStop, Eye, Hand, PlugZap, Power } from 'lucide-react'
import type { ReactNode } from 'react'
import { useLang, useWords } from '@/i18n'
import { whole } from '@/lib/numbers'
import { Badge } from '@/ui/Badge'
import { Spinner } from '@/ui/Spinner'
import { type LiveView, useLiveState } from './liveView'
import { type Sign, useStageSign } from './sign'
import { words } from './takeoverWords'

const LOOK: Record<Sign, { tone: 'accent' | 'warn' | 'ok' | 'plain'; icon: ReactNode }> = {
  me: { tone: 'accent', icon: <Hand size={13} aria-hidden /> },
  other: { tone: 'warn', icon: <Eye size={13} aria-hidden /> },
  none: { tone: 'ok', icon: <span aria-hidden className="breathing size-1.5 rounded-full bg-ok" /> },
  connecting: { tone: 'plain', icon: <Spinner size={13} /> },
  lost: { tone: 'warn', icon: <PlugZap size={13} aria-hidden /> },
  closed: { tone: 'plain', icon: <Power size={13} aria-hidden /> },
  starting: { tone: 'plain', icon: <Spinner size={13} /> },
  ended: { tone: 'plain', icon: <CircleStop size={13} aria-hidden /> },
}

/** Who controls the browser, or whether there is a picture; in a take-over (`isDriven`) also frames per second. */
export function LiveBadge({ view, isDriven = false }: { view: LiveView; isDriven?: boolean }) {
  const t = useWords(words)
  const lang = useLang()
  const sign = useStageSign(view, isDriven)
  const rate = useLiveState(view, (state) => state.rate)
  const { tone, icon } = LOOK[sign]
  return (
    <span className="flex shrink-0 items-center gap-2" data-live={sign}>
      <span role="status" className="flex">
        <Badge tone={tone}>
          {icon}
          {t(`live.${sign}`)}
        </Badge>
      </span>
      {isDriven && rate > 0 && (
        <span className="tabular hidden text-2xs text-faint md:inline">
          {t('live.rate', { n: whole(rate, lang) })}
        </span>
      )}
    </span>
  )
}
