import { CirclePause, CircleX, Clock3, TriangleAlert } from 'lucide-react'
import type { Session } from '@/api/types'
import { useT } from '@/i18n'
import { Spinner } from '@/ui/Spinner'

/** What a session is doing, as a sign with words for those who do not see it. */
export function SessionSign({ session, current }: { session: Session; current: boolean }) {
  const t = useT()
  const sign = signOf(session, session.unread === true && !current)
  if (!sign) return null
  const place = sign === 'queued' ? session.queue_place : null
  const label = place ? t('run.queued.place', { n: place }) : t(`status.${sign}`)
  return (
    <span
      role="img"
      aria-label={label}
      title={session.note ?? label}
      className="flex shrink-0 items-center gap-1"
    >
      {DRAWN[sign]}
      {place && <span className="text-2xs text-info tabular">{place}</span>}
    </span>
  )
}

type Sign = 'running' | 'queued' | 'waiting_user' | 'paused' | 'error' | 'unread'

function signOf({ status }: Session, isNews: boolean): Sign | null {
  if (status !== 'idle' && status !== 'error') return status
  return isNews ? (status === 'error' ? 'error' : 'unread') : null
}

const DRAWN: Record<Sign, React.ReactNode> = {
  running: <Spinner size={14} className="text-accent-text" />,
  queued: <Clock3 size={14} aria-hidden className="text-info" />,
  waiting_user: <TriangleAlert size={14} aria-hidden className="text-warn" />,
  paused: <CirclePause size={14} aria-hidden className="text-muted" />,
  error: <CircleX size={14} aria-hidden className="text-danger" />,
  unread: <span aria-hidden className="size-2 rounded-full bg-accent" />,
}
