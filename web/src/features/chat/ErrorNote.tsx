import { ArrowRight, CircleStop, RotateCw, TriangleAlert } from 'lucide-react'
import { api } from '@/api/client'
import { useLang, useT, useWords } from '@/i18n'
import { inLanguage } from '@/i18n/sentences'
import { sendMessage } from '@/session/send'
import { useSessionId } from '@/session/sessionId'
import { isOpen } from '@/stream/live'
import type { ErrorRow } from '@/stream/rows'
import { useLive, useSessionStore } from '@/stream/store'
import { Button } from '@/ui/Button'
import { toast } from '@/ui/Toasts'
import { words } from './errorWords'

/** How a run ended badly: what happened, what was kept, what to do. */
export function ErrorNote({ row }: { row: ErrorRow }) {
  const t = useWords(words)
  const tell = useT()
  const lang = useLang()
  const isStopped = row.code === 'cancelled'
  const isOffered = useLive(({ run }) => run?.id === row.runId && !isOpen(run))
  const kept = isOffered && row.code !== NEEDS_YOU ? 'run.kept.retry' : 'run.kept'
  const Icon = isStopped ? CircleStop : TriangleAlert
  return (
    <div className="flex gap-3 py-3" role={isStopped ? undefined : 'alert'}>
      <Icon
        size={18}
        aria-hidden
        className={isStopped ? 'mt-0.5 shrink-0 text-muted' : 'mt-0.5 shrink-0 text-danger'}
      />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{isStopped ? t('run.stopped') : t(causeOf(row.code))}</p>
        {!isStopped && row.text && (
          <p className="text-sm wrap-anywhere whitespace-pre-line text-muted">
            {inLanguage(row.text, row.parts, lang)}
          </p>
        )}
        <p className="text-sm text-muted">{isStopped ? t('run.stopped.kept') : tell(kept)}</p>
        {row.code === NEEDS_YOU ? <ContinueButton row={row} /> : <RetryButton row={row} />}
      </div>
    </div>
  )
}

/** After a run whose question was not answered in time: an ordinary message continues it. */
function ContinueButton({ row }: { row: ErrorRow }) {
  const t = useT()
  const sessionId = useSessionId()
  const isOffered = useLive(({ run }) => run?.id === row.runId && !isOpen(run))
  if (!isOffered) return null
  return (
    <Button small className="mt-2" onClick={() => sendMessage(sessionId, t('continue'), null)}>
      {t('continue')}
      <ArrowRight size={14} aria-hidden />
    </Button>
  )
}

function RetryButton({ row }: { row: ErrorRow }) {
  const t = useT()
  const sessionId = useSessionId()
  const store = useSessionStore()
  const isOffered = useLive(({ run }) => run?.id === row.runId && !isOpen(run))
  if (!isOffered) return null
  const retry = async () => {
    try {
      store.getState().accept(await api.retry(sessionId))
    } catch (error) {
      toast((error as Error).message)
    }
  }
  return (
    <Button small className="mt-2" onClick={() => void retry()}>
      <RotateCw size={14} aria-hidden />
      {t('retry')}
    </Button>
  )
}

const NEEDS_YOU = 'needs_you'
const CAUSES = [
  [/^needs_you$/, 'cause.needs_you'],
  [/auth|not_configured/, 'cause.key'],
  [/rate_limited|llm_unavailable|stream_cut/, 'cause.busy'],
  [/too_long|output_limit/, 'cause.long'],
  [/timeout/, 'cause.time'],
  [/^browser/, 'cause.browser'],
  [/interrupted|restart/, 'cause.restart'],
  [/budget/, 'cause.budget'],
] as const

const causeOf = (code: string) => CAUSES.find(([pattern]) => pattern.test(code))?.[1] ?? 'run.failed'
