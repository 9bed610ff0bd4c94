import { TriangleAlert } from 'lucide-react'
import { useT } from '@/i18n'
import { questionRowId } from '@/stream/rows'
import { useLive } from '@/stream/store'
import { Button } from '@/ui/Button'
import { Expiry } from './Expiry'
import { useIsOutOfSight } from './sight'

/** Above the composer while a person is needed and the card is not on the screen. */
export function ApprovalBar({ onShow }: { onShow: (rowId: string) => void }) {
  const t = useT()
  const pending = useLive((state) => state.pending)
  const isOutOfSight = useIsOutOfSight(pending?.reference)
  if (!pending || !isOutOfSight) return null
  return (
    <div className="mb-2 flex items-center gap-2 rounded-lg bg-warn-soft py-1.5 pr-1.5 pl-3 text-sm text-warn">
      <TriangleAlert size={16} aria-hidden className="shrink-0" />
      <span className="min-w-0 truncate font-medium">
        {pending.kind === 'manual' ? t('manual.waiting') : t('question.waiting')}
      </span>
      {pending.amount && <strong className="tabular shrink-0 font-medium">{pending.amount}</strong>}
      <span className="flex-1" />
      <span className="whitespace-nowrap max-md:hidden">
        <Expiry at={pending.expires_at} />
      </span>
      <Button small onClick={() => onShow(questionRowId(pending.reference))}>
        {t('show')}
      </Button>
    </div>
  )
}
