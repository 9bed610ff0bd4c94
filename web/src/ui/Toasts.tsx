import { lazy, type ReactNode, Suspense } from 'react'
import { create } from 'zustand'

export interface Offer {
  label: string
  act: () => void
}

export interface Note {
  title: string
  action?: Offer
  timeout: number
}

const ToastList = lazy(() => import('./ToastList'))

/** Notes that wait to be shown. What shows them is loaded with the first. */
export const useNotes = create<{ waiting: Note[]; isWanted: boolean }>(() => ({
  waiting: [],
  isWanted: false,
}))

/** Something passing: an undo, a small failure. What matters stays in the page instead. */
export function toast(title: string, { action, timeout = 5000 }: Partial<Omit<Note, 'title'>> = {}): void {
  const note = { title, timeout, ...(action && { action }) }
  useNotes.setState(({ waiting }) => ({ waiting: [...waiting, note], isWanted: true }))
}

export function Toasts({ children }: { children: ReactNode }) {
  const isWanted = useNotes((state) => state.isWanted)
  return (
    <>
      {children}
      {isWanted && (
        <Suspense>
          <ToastList />
        </Suspense>
      )}
    </>
  )
}
