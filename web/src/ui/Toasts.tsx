import { lazy, type ReactNode, Suspense } from 'react'
import { type Note, useNotes } from './notes'

/** Loaded with the first note. */
const ToastList = lazy(() => import('./ToastList'))

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
