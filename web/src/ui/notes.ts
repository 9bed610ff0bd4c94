import { create } from 'zustand'

export interface Offer {
  label: string
  act: () => void
}

export interface Note {
  title: string
  action?: Offer
  timeout: number
}

/** Notes that wait to be shown. `isWanted` is set with the first. */
export const useNotes = create<{ waiting: Note[]; isWanted: boolean }>(() => ({
  waiting: [],
  isWanted: false,
}))
