import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useT } from '@/i18n'
import { isOpen } from '@/stream/live'
import { useLive } from '@/stream/store'
import { Button } from '@/ui/Button'
import { TextEditor } from '@/ui/TextEditor'
import { PlanItem } from './PlanItem'
import { ProposedPlan } from './ProposedPlan'
import { goalOf, planSteps, STEP_CHARS } from './steps'
import { type Plan, usePlan, useWork } from './usePlan'

export function PlanPanel() {
  const t = useT()
  const work = useWork()
  const isActive = useLive((state) => isOpen(state.run))
  const plan = usePlan()
  const steps = planSteps(work, isActive)
  // The plan of an ended run is a record; steps that are left can be changed before it is continued.
  const isEditable = isActive || steps.some((step) => step.status === 'todo')
  const done = steps.filter((step) => step.status === 'done').length
  if (steps.length === 0 && !work.goal) return <p className="p-4 text-sm text-muted">{t('plan.none')}</p>
  return (
    <div className="flex flex-col gap-4 p-4">
      {work.goal && (
        <div>
          <h3 className="text-2xs font-medium text-faint">{t('plan.goal')}</h3>
          <p className="text-sm wrap-anywhere">{goalOf(work)}</p>
        </div>
      )}
      <p role="status" className="sr-only">
        {plan.proposed.length > 0 && t('plan.proposed')}
      </p>
      {plan.proposed.length > 0 && <ProposedPlan plan={plan} />}
      {steps.length > 0 && <Progress done={done} total={steps.length} />}
      <ol aria-label={t('plan')} className="-mx-2 flex flex-col">
        {steps.map((step, index) => (
          <PlanItem key={`${index}-${step.text}`} step={step} index={index} plan={isEditable ? plan : null} />
        ))}
      </ol>
      {isEditable && steps.length > 0 && <AddStep plan={plan} />}
      {plan.isPending && <p className="text-xs text-muted">{t('plan.pending')}</p>}
    </div>
  )
}

function Progress({ done, total }: { done: number; total: number }) {
  const t = useT()
  return (
    <div className="flex items-center gap-3">
      <div
        role="progressbar"
        aria-label={t('plan.progress')}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done}
        className="h-1.5 flex-1 overflow-hidden rounded-full bg-s3"
      >
        <div
          className="h-full rounded-full bg-accent transition-[width]"
          style={{ width: `${(100 * done) / total}%` }}
        />
      </div>
      <span className="tabular text-xs text-muted">
        {done}/{total}
      </span>
    </div>
  )
}

function AddStep({ plan }: { plan: Plan }) {
  const t = useT()
  const [isWriting, setWriting] = useState(false)
  const done = (text: string | null) => {
    setWriting(false)
    if (text) plan.add(text)
  }
  if (isWriting)
    return (
      <TextEditor label={t('plan.step')} text="" most={STEP_CHARS} onDone={done} className="min-w-0 flex-1" />
    )
  return (
    <Button small tone="quiet" className="-ml-2 self-start" onClick={() => setWriting(true)}>
      <Plus size={15} aria-hidden />
      {t('plan.add')}
    </Button>
  )
}
