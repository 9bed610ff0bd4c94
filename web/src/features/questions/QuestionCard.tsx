import type { QuestionRow } from '@/stream/rows'
import { ApprovalCard } from './ApprovalCard'
import { useHasLogin } from './decide'
import { ManualCard } from './ManualCard'
import { NotifyOffer } from './NotifyOffer'
import { PastQuestion } from './PastQuestion'

export function QuestionCard({ row }: { row: QuestionRow }) {
  const hasLogin = useHasLogin()
  if (row.answer !== 'open') return <PastQuestion row={row} />
  return (
    <>
      {row.question.kind === 'confirm' ? <ApprovalCard row={row} /> : <ManualCard row={row} />}
      {hasLogin && <NotifyOffer reference={row.question.reference} />}
    </>
  )
}
