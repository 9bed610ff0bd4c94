import { useRef } from 'react'
import type { QuestionRow } from '@/stream/rows'
import { ApprovalCard } from './ApprovalCard'
import { useHasLogin } from './decide'
import { LoginCard } from './LoginCard'
import { ManualCard } from './ManualCard'
import { NotifyOffer } from './NotifyOffer'
import { PastQuestion } from './PastQuestion'
import { useSteadyPress } from './steadyPress'

const CARDS = { confirm: ApprovalCard, manual: ManualCard, login: LoginCard }

export function QuestionCard({ row }: { row: QuestionRow }) {
  const hasLogin = useHasLogin()
  const card = useRef<HTMLDivElement>(null)
  useSteadyPress(card)
  const Card = CARDS[row.question.kind]
  if (row.answer !== 'open') return <PastQuestion row={row} />
  return (
    <>
      <div ref={card}>
        <Card row={row} />
      </div>
      {hasLogin && <NotifyOffer reference={row.question.reference} />}
    </>
  )
}
