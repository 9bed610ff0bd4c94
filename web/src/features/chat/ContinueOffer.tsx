import { ArrowRight } from 'lucide-react'
import { useT } from '@/i18n'
import { sendMessage } from '@/session/send'
import { useSessionId } from '@/session/sessionId'
import { isOpen } from '@/stream/live'
import type { TextRow } from '@/stream/rows'
import { useLive } from '@/stream/store'
import { Button } from '@/ui/Button'

/** After a run that ended at a limit, and after an answer that was cut: going on is an ordinary message. */
export function ContinueOffer({ row }: { row: TextRow }) {
  const t = useT()
  const sessionId = useSessionId()
  const isLast = useLive(({ ids, rows, run }) => {
    const end = ids.at(rows[ids.at(-1) ?? '']?.kind === 'error' ? -2 : -1)
    return end === row.id && !(run && isOpen(run))
  })
  if (!isLast || (row.meta.outcome !== 'limit' && !row.meta.cut)) return null
  return (
    <Button className="mt-3" onClick={() => sendMessage(sessionId, t('continue'), null)}>
      {t('continue')}
      <ArrowRight size={15} aria-hidden />
    </Button>
  )
}
