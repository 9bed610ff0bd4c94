import { ArrowRight } from 'lucide-react'
import { useT } from '@/i18n'
import { sendMessage } from '@/session/send'
import { useSessionId } from '@/session/sessionId'
import { isOpen } from '@/stream/live'
import type { TextRow } from '@/stream/rows'
import { useLive } from '@/stream/store'
import { Button } from '@/ui/Button'

/** After a run that ended at a limit: going on is an ordinary message. */
export function ContinueOffer({ row }: { row: TextRow }) {
  const t = useT()
  const sessionId = useSessionId()
  const isLast = useLive(({ ids, run }) => ids.at(-1) === row.id && !(run && isOpen(run)))
  if (!isLast || row.meta.outcome !== 'limit') return null
  return (
    <Button className="mt-3" onClick={() => sendMessage(sessionId, t('continue'), null)}>
      {t('continue')}
      <ArrowRight size={15} aria-hidden />
    </Button>
  )
}
