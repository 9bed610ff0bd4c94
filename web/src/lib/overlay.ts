import { create } from 'zustand'

export type Overlay =
  | 'search'
  | 'connect'
  | 'shortcuts'
  | 'grants'
  | 'handoff'
  | 'instructions'
  | 'surroundings'
  | 'replays'
  | 'keptSites'

interface State {
  open: Overlay | null
  /** The provider that the dialog of models begins with. */
  provider: string | null
  show(overlay: Overlay, provider?: string): void
  close(): void
}

/** The one dialog that is open over any page. */
export const useOverlay = create<State>((set) => ({
  open: null,
  provider: null,
  show: (open, provider) => set({ open, provider: provider ?? null }),
  close: () => set({ open: null }),
}))
