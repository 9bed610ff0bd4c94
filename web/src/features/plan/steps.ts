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
  // Progress names steps by their text. Where two have the same, the index decides which is meant.
  const isOnly = (text: string) => plan.indexOf(text) === plan.lastIndexOf(text)
  const isFailed = (text: string, index: number) =>
    progress.blocked?.includes(text) && (index === current || isOnly(text))
  const status = (text: string, index: number): StepStatus => {
    if (isFailed(text, index)) return 'failed'
    if (index < current || (progress.done?.includes(text) && isOnly(text))) return 'done'
    if (!isActive && plan.slice(0, index).some(isFailed)) return 'skipped'
    return index === current && isActive ? 'doing' : 'todo'
  }
  return plan.map((text, index) => ({ text, status: status(text, index) }))
}

/** What is to be reached, in the words of the person, without the names of attached files. */
export const goalOf = ({ goal }: WorkState): string => splitAttached(goal ?? '').words
