import { type RefObject, useEffect, useState } from 'react'
import { create } from 'zustand'

/** The questions whose answers are on the screen, by reference. */
const useSeen = create<{ seen: ReadonlySet<string> }>(() => ({ seen: new Set() }))

function mark(reference: string, isSeen: boolean): void {
  useSeen.setState(({ seen }) => {
    const after = new Set(seen)
    if (isSeen) after.add(reference)
    else after.delete(reference)
    return { seen: after }
  })
}

/** Notes while the place where a question is answered is on the screen. */
export function useSight(reference: string, place: RefObject<Element | null>): void {
  useEffect(() => {
    if (!place.current) return
    const observer = new IntersectionObserver(([entry]) => mark(reference, entry?.isIntersecting ?? false), {
      threshold: WHOLE,
    })
    observer.observe(place.current)
    return () => {
      observer.disconnect()
      mark(reference, false)
    }
  }, [reference, place])
}

/** Not 1: where heights are fractions of pixels, all of it can be a little less. */
const WHOLE = 0.95

/** Milliseconds that a new card has to be drawn before it counts as out of sight: nothing comes and goes at once. */
const DRAWN = 250

/** Whether a question is to be answered that is not on the screen. */
export function useIsOutOfSight(reference: string | undefined): boolean {
  const isSeen = useSeen(({ seen }) => reference !== undefined && seen.has(reference))
  const isMissed = reference !== undefined && !isSeen
  const [late, setLate] = useState<string | null>(null)
  useEffect(() => {
    if (!isMissed) return setLate(null)
    const timer = setTimeout(() => setLate(reference), DRAWN)
    return () => clearTimeout(timer)
  }, [isMissed, reference])
  return isMissed && late === reference
}
