import { ArrowRight } from 'lucide-react'
import { sendMessage } from '@/features/composer/send'
import { useT } from '@/i18n'
import { isOpen } from '@/stream/live'
import type { TextRow } from '@/stream/rows'
import { useLive } from '@/stream/store'
import { Button } from '@/ui/Button'
import { useSessionId } from './session'

/** After a run that ended at its step limit: going on is an ordinary message. */
export function ContinueOffer({ row }: { row: TextRow }) {
  const t = useT()
  const sessionId = useSessionId()
  const isOffered = useLive(({ ids, run }) => {
    if (isOpen(run) || ids.at(-1) !== row.id) return false
    if (row.meta.finish !== undefined) return row.meta.finish === 'limit' || row.meta.finish === 'budget'
    return run?.id === row.runId && run?.step != null && run.maxSteps != null && run.step >= run.maxSteps
  })
  if (!isOffered) return null
  return (
    <Button className="mt-1 mb-2" onClick={() => sendMessage(sessionId, t('continue'), null)}>
      {t('continue')}
      <ArrowRight size={15} aria-hidden />
    </Button>
  )
}
