import { Circle, CircleCheck, CircleDot, OctagonAlert } from 'lucide-react'
import { useT } from '@/i18n'
import { cx } from '@/lib/cx'
import { isOpen } from '@/stream/live'
import { useLive } from '@/stream/store'
import { planSteps, type PlanStep, type StepStatus } from './steps'

export function PlanPanel() {
  const t = useT()
  const work = useLive((state) => state.work)
  const isActive = useLive((state) => isOpen(state.run))
  const steps = planSteps(work, isActive)
  const done = steps.filter((step) => step.status === 'done').length
  if (steps.length === 0 && !work.goal) return <p className="p-4 text-sm text-muted">{t('plan.none')}</p>
  return (
    <div className="flex flex-col gap-4 p-4">
      {work.goal && (
        <div>
          <h3 className="text-2xs font-medium text-faint">{t('plan.goal')}</h3>
          <p className="text-sm wrap-anywhere">{work.goal}</p>
        </div>
      )}
      {steps.length > 0 && <Progress done={done} total={steps.length} />}
      <ol aria-label={t('plan')} className="flex flex-col">
        {steps.map((step, index) => (
          <Step key={`${index}-${step.text}`} step={step} />
        ))}
      </ol>
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
        <div className="h-full rounded-full bg-accent transition-[width]" style={{ width: `${(100 * done) / total}%` }} />
      </div>
      <span className="tabular text-xs text-muted">
        {done}/{total}
      </span>
    </div>
  )
}

const LOOK: Record<StepStatus, { icon: React.ReactNode; text: string }> = {
  todo: { icon: <Circle size={16} className="text-faint" />, text: 'text-muted' },
  doing: { icon: <CircleDot size={16} className="text-accent-text" />, text: 'font-medium text-text' },
  done: { icon: <CircleCheck size={16} className="text-ok" />, text: 'text-muted' },
  blocked: { icon: <OctagonAlert size={16} className="text-warn" />, text: 'text-text' },
}

function Step({ step }: { step: PlanStep }) {
  const t = useT()
  const look = LOOK[step.status]
  return (
    <li
      aria-current={step.status === 'doing' ? 'step' : undefined}
      className={cx('flex gap-2.5 rounded-md px-2 py-1.5 text-sm', step.status === 'doing' && 'bg-accent-soft')}
    >
      <span className="mt-0.5 shrink-0">{look.icon}</span>
      <span className="sr-only">{t(`plan.${step.status}`)}: </span>
      <span className={cx('min-w-0 wrap-anywhere', look.text)}>{step.text}</span>
    </li>
  )
}
