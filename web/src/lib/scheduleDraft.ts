import { create } from 'zustand'
import type { ResultSchema } from '@/api/types'

/** What a new automation is filled in with. */
export interface ScheduleDraft {
  name?: string
  task?: string
  agent?: string
  model?: string
  max_tool_steps?: number
  ask_first?: boolean
  start_url?: string | null
  result_schema?: ResultSchema | null
  created_from?: string
}

interface State {
  draft: ScheduleDraft | null
  open(draft: ScheduleDraft): void
  close(): void
}

/** The form of a new automation, open over any page. */
export const useScheduleDraft = create<State>((set) => ({
  draft: null,
  open: (draft) => set({ draft }),
  close: () => set({ draft: null }),
}))
