import { CirclePause, Clock3 } from 'lucide-react'
import type { RunStatus } from '@/api/types'
import type { Key, Translate } from '@/i18n'
import { useT } from '@/i18n'
import { inLanguage } from '@/i18n/sentences'
import { useIsStageShown } from '@/session/stageShown'
import { useLinkStatus } from '@/session/linkStatus'
import { TakeoverButton } from '@/session/TakeoverButton'
import { isOpen, type RunView } from '@/stream/live'
import { type SessionState, useLive } from '@/stream/store'
import { Spinner } from '@/ui/Spinner'
import { Elapsed } from './Elapsed'

/** What the run does right now, right above the composer. */
export function RunStrip({ stopping }: { stopping: boolean }) {
  const t = useT()
  const run = useLive((state) => state.run)
  const sending = useLive(sendingSince)
  const isStageShown = useIsStageShown()
  const isLost = useLinkStatus(({ status }) => status === 'lost')
  const isActing = useLive(hasRunningStep)
  const status = isOpen(run) ? run.status : sending ? 'running' : null
  if (status === null || status === 'waiting_user') return null
  const since = isOpen(run) ? run.startedAt : sending
  const isPausing = status === 'paused' && isActing
  return (
    <div
      className="mb-1.5 flex min-h-7 items-center gap-2 px-1 text-xs text-muted max-md:mt-1.5"
      data-run={status}
    >
      {ICONS[status] ?? <Spinner size={14} className="text-accent-text" />}
      <span className="min-w-0 flex-1 truncate">
        {isLost
          ? t('run.away')
          : stopping
            ? t('run.stopping')
            : isPausing
              ? t('run.pausing')
              : runWords(t, status, run)}
        {status !== 'paused' && <Elapsed since={since} />}
      </span>
      {isOpen(run) && status !== 'queued' && !isStageShown && <TakeoverButton small />}
    </div>
  )
}

const ICONS: Partial<Record<RunStatus, React.ReactNode>> = {
  paused: <CirclePause size={14} aria-hidden />,
  queued: <Clock3 size={14} aria-hidden className="text-info" />,
}
const WORDS: Partial<Record<RunStatus, Key>> = { paused: 'run.paused', queued: 'run.queued' }

/** What it does, and what it waits for. */
export function runWords(t: Translate, status: RunStatus, run: RunView | null): string {
  if (status === 'queued' && run?.queuePlace) return t('run.queued.place', { n: run.queuePlace })
  const note = run?.note && inLanguage(run.note, run.noteParts)
  return [t(WORDS[status] ?? 'run.working'), note].filter(Boolean).join(' · ')
}

const hasRunningStep = ({ ids, rows }: SessionState): boolean => {
  const last = rows[ids.findLast((id) => rows[id]?.kind === 'tool') ?? '']
  return last?.kind === 'tool' && last.status === 'running'
}

function sendingSince({ ids, rows }: SessionState): string | null {
  const last = rows[ids.at(-1) ?? '']
  return last?.kind === 'user' && last.delivery === 'sending' ? last.at : null
}
