import { create } from 'zustand'

export type Overlay = 'search' | 'connect' | 'shortcuts' | 'grants' | 'handoff'

interface State {
  open: Overlay | null
  show(overlay: Overlay): void
  close(): void
}

/** The one dialog that is open over any page. */
export const useOverlay = create<State>((set) => ({
  open: null,
  show: (open) => set({ open }),
  close: () => set({ open: null }),
}))
