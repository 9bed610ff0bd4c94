import { useState } from 'react'
import { api } from '@/api/client'
import { useSessionId } from '@/features/chat/session'
import { isOpen } from '@/stream/live'
import { useLive, useSessionStore } from '@/stream/store'
import { toast } from '@/ui/Toasts'

/** The plan and its changes, shown at once and taken back when the server refuses. */
export function usePlan() {
  const sessionId = useSessionId()
  const store = useSessionStore()
  const plan = useLive((state) => state.work.plan)
  const [editedAt, setEditedAt] = useState<number | null>(null)
  /** Between a change and the step from which the agent follows it. */
  const isPending = useLive(({ run }) => isOpen(run) && editedAt !== null && run.step === editedAt)

  const change = async (next: string[]) => {
    const { work, run } = store.getState()
    store.setState({ work: { ...work, plan: next } })
    setEditedAt(run?.step ?? null)
    try {
      store.setState({ work: await api.setPlan(sessionId, next) })
    } catch (error) {
      store.setState({ work })
      setEditedAt(null)
      toast((error as Error).message)
    }
  }
  return {
    plan,
    isPending,
    rename: (index: number, text: string) => void change(plan.with(index, text)),
    remove: (index: number) => void change(plan.toSpliced(index, 1)),
    add: (text: string) => void change([...plan, text]),
    move: (from: number, to: number) => void change(moved(plan, from, to)),
  }
}

export type Plan = ReturnType<typeof usePlan>

export function moved<T>(items: T[], from: number, to: number): T[] {
  const item = items[from]
  return item === undefined || to < 0 || to >= items.length ? items : items.toSpliced(from, 1).toSpliced(to, 0, item)
}
