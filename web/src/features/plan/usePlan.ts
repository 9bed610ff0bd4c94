import { useMemo, useState } from 'react'
import { api } from '@/api/client'
import type { WorkState } from '@/api/types'
import { useSessionId } from '@/session/sessionId'
import { isOpen } from '@/stream/live'
import { type SessionStore, useLive, useSessionStore } from '@/stream/store'
import { toast } from '@/ui/Toasts'

/** What the agent works on, with the person's changes. */
export function useWork(): WorkState {
  const work = useLive((state) => state.work)
  const unsaved = useLive((state) => state.unsaved)
  return useMemo(() => ({ ...work, ...unsaved }), [work, unsaved])
}

/** The plan and its changes, shown at once and taken back when the server refuses. */
export function usePlan() {
  const sessionId = useSessionId()
  const store = useSessionStore()
  const { plan, proposed_plan: proposed = NONE } = useWork()
  const [editedAt, setEditedAt] = useState<{ run: string; step: number | null } | null>(null)
  /** Between a change and the step from which the agent of that run follows it. */
  const isPending = useLive(
    ({ run }) => isOpen(run) && run.id === editedAt?.run && run.step === editedAt.step,
  )

  const show = async (next: Partial<WorkState>, send: () => Promise<WorkState>) => {
    const { work, unsaved: earlier } = store.getState()
    const unsaved = { ...earlier, ...next }
    store.setState({ unsaved })
    // A later change stands until it is answered itself.
    const settle = () => store.setState((now) => (now.unsaved === unsaved ? { unsaved: null } : {}))
    try {
      const answer = await inTurn(store, send)
      const current = store.getState().work
      if (current === work || current === lastAnswer.get(store)) {
        lastAnswer.set(store, answer)
        store.setState({ work: answer })
      } // else what was reported since then is newer
      settle()
      return true
    } catch (error) {
      settle()
      toast((error as Error).message)
      return false
    }
  }
  const change = async (next: string[], more: Partial<WorkState> = {}) => {
    const { run } = store.getState()
    setEditedAt(isOpen(run) ? { run: run.id, step: run.step } : null)
    if (!(await show({ plan: next, ...more }, () => api.setPlan(sessionId, next)))) setEditedAt(null)
  }
  return {
    plan,
    proposed,
    isPending,
    accept: () => void change(proposed, { proposed_plan: [] }),
    dismiss: () => void show({ proposed_plan: [] }, () => api.dismissPlan(sessionId)),
    rename: (index: number, text: string) => void change(plan.with(index, text)),
    remove: (index: number) => void change(plan.toSpliced(index, 1)),
    add: (text: string) => void change([...plan, text]),
    move: (from: number, to: number) => void change(moved(plan, from, to)),
  }
}

const NONE: string[] = []

const lastSent = new WeakMap<SessionStore, Promise<unknown>>()
const lastAnswer = new WeakMap<SessionStore, WorkState>()

/** One change after the other: each carries the whole plan, and the last that arrives stays. */
function inTurn<T>(store: SessionStore, send: () => Promise<T>): Promise<T> {
  const sent = (lastSent.get(store) ?? Promise.resolve()).then(send, send)
  lastSent.set(store, sent)
  return sent
}

export type Plan = ReturnType<typeof usePlan>

export function moved<T>(items: T[], from: number, to: number): T[] {
  const item = items[from]
  return item === undefined || to < 0 || to >= items.length
    ? items
    : items.toSpliced(from, 1).toSpliced(to, 0, item)
}
