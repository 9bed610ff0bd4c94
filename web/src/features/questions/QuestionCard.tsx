import { useRef } from 'react'
import type { QuestionRow } from '@/stream/rows'
import { ApprovalCard } from './ApprovalCard'
import { useHasLogin } from './decide'
import { ManualCard } from './ManualCard'
import { NotifyOffer } from './NotifyOffer'
import { PastQuestion } from './PastQuestion'
import { useSteadyPress } from './steadyPress'

export function QuestionCard({ row }: { row: QuestionRow }) {
  const hasLogin = useHasLogin()
  const card = useRef<HTMLDivElement>(null)
  useSteadyPress(card)
  if (row.answer !== 'open') return <PastQuestion row={row} />
  return (
    <>
      <div ref={card}>
        {row.question.kind === 'confirm' ? <ApprovalCard row={row} /> : <ManualCard row={row} />}
      </div>
      {hasLogin && <NotifyOffer reference={row.question.reference} />}
    </>
  )
}
