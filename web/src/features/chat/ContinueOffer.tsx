import { ArrowRight } from 'lucide-react'
import { useConfig } from '@/api/queries'
import type { Config } from '@/api/types'
import { sendMessage } from '@/features/composer/send'
import { useT } from '@/i18n'
import { isOpen, type Live, stepsTaken } from '@/stream/live'
import type { TextRow } from '@/stream/rows'
import { useLive } from '@/stream/store'
import { Button } from '@/ui/Button'
import { useSessionId } from './session'

/** After a run that ended at a limit: going on is an ordinary message. */
export function ContinueOffer({ row }: { row: TextRow }) {
  const t = useT()
  const sessionId = useSessionId()
  const limits = useConfig()?.limits
  const isOffered = useLive((state) => {
    const { ids, run } = state
    if (run === null || isOpen(run) || run.id !== row.runId || ids.at(-1) !== row.id) return false
    return isAtLimit(state, limits)
  })
  if (!isOffered) return null
  return (
    <Button className="mt-3" onClick={() => sendMessage(sessionId, t('continue'), null)}>
      {t('continue')}
      <ArrowRight size={15} aria-hidden />
    </Button>
  )
}

function isAtLimit(live: Live, limits: Config['limits'] | undefined): boolean {
  const { run, usage } = live
  if (run?.maxSteps != null && stepsTaken(live) >= run.maxSteps) return true
  if (!usage || !limits) return false
  if (usage.input_tokens + usage.output_tokens >= limits.token_budget) return true
  return limits.cost_budget != null && (usage.cost ?? 0) >= limits.cost_budget
}
