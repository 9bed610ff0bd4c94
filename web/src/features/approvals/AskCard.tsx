import type { AskRow } from '@/stream/rows'
import { ApprovalCard } from './ApprovalCard'
import { ManualCard } from './ManualCard'
import { NotifyOffer } from './NotifyOffer'
import { PastAsk } from './PastAsk'

export function AskCard({ row }: { row: AskRow }) {
  if (row.answer !== 'open') return <PastAsk row={row} />
  return (
    <>
      {row.ask.kind === 'confirm' ? <ApprovalCard row={row} /> : <ManualCard row={row} />}
      <NotifyOffer />
    </>
  )
}
