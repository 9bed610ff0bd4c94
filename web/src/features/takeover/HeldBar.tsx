import { lazy, Suspense } from 'react'
import { useSessionId } from '@/session/sessionId'
import { useIsHolding } from './holding'

const WheelBar = lazy(() => import('./WheelBar'))

/** In sight while this tab has the session's browser. */
export function HeldBar() {
  const isHolding = useIsHolding(useSessionId())
  return (
    isHolding && (
      <Suspense>
        <WheelBar />
      </Suspense>
    )
  )
}
