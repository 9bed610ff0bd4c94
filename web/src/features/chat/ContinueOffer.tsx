import { ArrowRight } from 'lucide-react'
import { sendMessage } from '@/features/composer/send'
import { useT } from '@/i18n'
import { isOpen, stepsTaken } from '@/stream/live'
import type { TextRow } from '@/stream/rows'
import { useLive } from '@/stream/store'
import { Button } from '@/ui/Button'
import { useSessionId } from './session'

/** After a run that ended at its step limit: going on is an ordinary message. */
export function ContinueOffer({ row }: { row: TextRow }) {
  const t = useT()
  const sessionId = useSessionId()
  const isOffered = useLive((state) => {
    const { ids, run } = state
    if (run === null || isOpen(run) || run.id !== row.runId || ids.at(-1) !== row.id) return false
    return run.maxSteps !== null && stepsTaken(state) >= run.maxSteps
  })
  if (!isOffered) return null
  return (
    <Button className="mt-3" onClick={() => sendMessage(sessionId, t('continue'), null)}>
      {t('continue')}
      <ArrowRight size={15} aria-hidden />
    </Button>
  )
}
