import { useEffect, useRef, useState } from 'react'
import { isTwofold, type Phase, type Shot } from '@/session/shots'

export const SPEEDS = [0.5, 1, 2, 4] as const
export type Speed = (typeof SPEEDS)[number]

/** How long one moment stays at speed 1. */
const MOMENT = 1000

export interface Player {
  isPlaying: boolean
  speed: Speed
  phase: Phase
  setSpeed: (speed: Speed) => void
  setPhase: (phase: Phase) => void
  toggle: () => void
  /** Goes to a step; a person who does that has stopped playing. */
  go: (step: number) => void
}

/** Shows one step after the other up to the last, each with its aim before its result. */
export function usePlayer(shots: Shot[], step: number, show: (step: number) => void): Player {
  const [isPlaying, setPlaying] = useState(false)
  const [speed, setSpeed] = useState<Speed>(1)
  const [phase, setPhase] = useState<Phase>('aim')
  const shot = shots[step - 1]
  const hasMore = phase === 'aim' && shot !== undefined && isTwofold(shot)
  const advance = useRef(() => undefined as void)
  useEffect(() => {
    advance.current = () => {
      if (hasMore) return setPhase('result')
      if (step >= shots.length) return setPlaying(false)
      setPhase('aim')
      show(step + 1)
    }
  })
  useEffect(() => {
    if (!isPlaying) return
    const timer = setTimeout(() => advance.current(), MOMENT / speed)
    return () => clearTimeout(timer)
  }, [isPlaying, step, phase, speed])

  const jump = (target: number) => {
    setPhase('aim')
    show(target)
  }
  return {
    isPlaying,
    speed,
    phase,
    setSpeed,
    setPhase,
    toggle: () => {
      if (!isPlaying && step >= shots.length) jump(1)
      setPlaying(!isPlaying)
    },
    go: (target) => {
      setPlaying(false)
      jump(target)
    },
  }
}
