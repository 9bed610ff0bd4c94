import { create } from 'zustand'

interface Viewer {
  /** The row whose screenshot is shown large. */
  rowId: string | null
  open(rowId: string): void
  close(): void
}

export const useViewer = create<Viewer>((set) => ({
  rowId: null,
  open: (rowId) => set({ rowId }),
  close: () => set({ rowId: null }),
}))
