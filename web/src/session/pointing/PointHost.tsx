import { lazy, Suspense, useEffect } from 'react'
import { useShortcuts } from '@/lib/keys'
import { usePointing } from './pointMarks'

const PointDialog = lazy(() => import('./PointDialog'))

/** The dialog in which a user points, and its key. */
export function PointHost({ sessionId }: { sessionId: string }) {
  const source = usePointing((state) => state.source)
  const point = usePointing((state) => state.point)
  useEffect(() => {
    usePointing.setState({ isHosted: true })
    return () => usePointing.setState({ isHosted: false, source: null })
  }, [])
  useShortcuts({ '.': () => point({ picture: null }) })
  if (!source) return null
  return (
    <Suspense>
      <PointDialog sessionId={sessionId} source={source} />
    </Suspense>
  )
}
