import { create } from 'zustand'
import { createJSONStorage, persist } from 'zustand/middleware'

export type PanelTab = 'plan' | 'facts' | 'browser' | 'files'

interface Tabs {
  /** By session. */
  chosen: Record<string, PanelTab>
}

/** The tab next to the chat that was chosen in each session, for as long as this page's tab is open. */
const useTabs = create<Tabs>()(
  persist((): Tabs => ({ chosen: {} }), {
    name: 'pilothouse.panel-tabs',
    storage: createJSONStorage(() => sessionStorage),
  }),
)

export const usePanelTab = (sessionId: string): PanelTab =>
  useTabs(({ chosen }) => chosen[sessionId] ?? 'plan')

export function choosePanelTab(sessionId: string, tab: PanelTab): void {
  useTabs.setState(({ chosen }) => ({ chosen: { ...chosen, [sessionId]: tab } }))
}
