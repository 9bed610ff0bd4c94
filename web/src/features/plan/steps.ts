import type { WorkState } from '@/api/types'
import { splitAttached } from '@/lib/attached'

export const STEP_CHARS = 300

export type StepStatus = 'todo' | 'doing' | 'done' | 'failed' | 'skipped'

export interface PlanStep {
  text: string
  status: StepStatus
}

/** Where each step of the plan stands. `isActive` is false when no run works on it: what comes after a step that
 *  failed is then not done any more. */
export function planSteps({ plan, progress }: WorkState, isActive: boolean): PlanStep[] {
  const current = progress.current ?? -1
  const isFailed = (text: string) => progress.blocked?.includes(text) ?? false
  const status = (text: string, index: number): StepStatus => {
    if (isFailed(text)) return 'failed'
    if (progress.done?.includes(text) || index < current) return 'done'
    if (!isActive && plan.slice(0, index).some(isFailed)) return 'skipped'
    return index === current && isActive ? 'doing' : 'todo'
  }
  return plan.map((text, index) => ({ text, status: status(text, index) }))
}

/** What is to be reached, in the words of the person, without the names of attached files. */
export const goalOf = ({ goal }: WorkState): string => splitAttached(goal ?? '').words
