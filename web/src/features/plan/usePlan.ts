import { useState } from 'react'
import { api } from '@/api/client'
import type { WorkState } from '@/api/types'
import { useSessionId } from '@/session/sessionId'
import { isOpen } from '@/stream/live'
import { type SessionStore, useLive, useSessionStore } from '@/stream/store'
import { toast } from '@/ui/Toasts'

/** The plan and its changes, shown at once and taken back when the server refuses. */
export function usePlan() {
  const sessionId = useSessionId()
  const store = useSessionStore()
  const plan = useLive((state) => state.work.plan)
  const proposed = useLive((state) => state.work.proposed_plan ?? NONE)
  const [editedAt, setEditedAt] = useState<{ run: string; step: number | null } | null>(null)
  /** Between a change and the step from which the agent of that run follows it. */
  const isPending = useLive(
    ({ run }) => isOpen(run) && run.id === editedAt?.run && run.step === editedAt.step,
  )

  const show = async (next: Partial<WorkState>, send: () => Promise<WorkState>) => {
    const { work } = store.getState()
    const shown = { ...work, ...next }
    store.setState({ work: shown })
    // Changes and events since then are newer than the answer.
    const settle = (answer: WorkState) => {
      if (store.getState().work === shown) store.setState({ work: answer })
    }
    try {
      settle(await inTurn(store, send))
      return true
    } catch (error) {
      settle(work)
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
