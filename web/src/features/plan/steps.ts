import type { WorkState } from '@/api/types'

export type StepStatus = 'todo' | 'doing' | 'done' | 'blocked'

export interface PlanStep {
  text: string
  status: StepStatus
}

/** Where each step of the plan stands. `isActive` is false when no run works on it. */
export function planSteps({ plan, progress }: WorkState, isActive: boolean): PlanStep[] {
  const current = progress.current ?? -1
  const status = (text: string, index: number): StepStatus => {
    if (progress.blocked?.includes(text)) return 'blocked'
    if (progress.done?.includes(text) || index < current) return 'done'
    return index === current && isActive ? 'doing' : 'todo'
  }
  return plan.map((text, index) => ({ text, status: status(text, index) }))
}
