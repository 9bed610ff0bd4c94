import { createContext, useContext } from 'react'

export interface Side {
  isOpen: boolean
  /** Over the page instead of next to it. */
  isSheet: boolean
  toggle(): void
}

export interface Frame {
  sidebar: Side
  panel: Side
}

const FrameContext = createContext<Frame | null>(null)
export const FrameProvider = FrameContext.Provider

export function useFrame(): Frame {
  const frame = useContext(FrameContext)
  if (!frame) throw new Error('No shell around this component')
  return frame
}

/** Focuses the message box, on pages that have one. */
export const focusComposer = () => document.getElementById('composer')?.focus()
