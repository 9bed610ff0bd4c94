import { useEffect, useRef, useState } from 'react'

export const SPEEDS = [0.5, 1, 2, 4] as const
export type Speed = (typeof SPEEDS)[number]

/** How long a step stays at speed 1. */
const STEP_TIME = 1500

export interface Player {
  isPlaying: boolean
  speed: Speed
  setSpeed: (speed: Speed) => void
  toggle: () => void
  /** Goes to a step; a person who does that has stopped playing. */
  go: (step: number) => void
}

/** Shows one step after the other up to the last. */
export function usePlayer(step: number, count: number, show: (step: number) => void): Player {
  const [isPlaying, setPlaying] = useState(false)
  const [speed, setSpeed] = useState<Speed>(1)
  const next = useRef(show)
  useEffect(() => {
    next.current = show
  })
  useEffect(() => {
    if (!isPlaying) return
    if (step >= count) return setPlaying(false)
    const timer = setTimeout(() => next.current(step + 1), STEP_TIME / speed)
    return () => clearTimeout(timer)
  }, [isPlaying, step, count, speed])
  return {
    isPlaying,
    speed,
    setSpeed,
    toggle: () => {
      if (!isPlaying && step >= count) show(1)
      setPlaying(!isPlaying && count > 1)
    },
    go: (target) => {
      setPlaying(false)
      show(target)
    },
  }
}
