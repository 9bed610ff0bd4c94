import { useSearchParams } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { BASE } from '@/lib/base'

/** The parts of the settings, each with its own address. */
export const SETTINGS_TABS = [
  'models',
  'limits',
  'browser',
  'tools',
  'logins',
  'notifications',
  'appearance',
  'devices',
  'data',
  'about',
] as const
export type SettingsTab = (typeof SETTINGS_TABS)[number]

/** A step of a session in the viewer, counted from 1. */
export const replayAddress = (sessionId: string, step: number) =>
  `/s/${encodeURIComponent(sessionId)}/replay?step=${step}`

/** Opens the viewer; closing it comes back to where it was opened. */
export const openReplay = (sessionId: string, step = 1): void =>
  navigate(BASE + replayAddress(sessionId, step), { state: { inside: true } })

/** Never a bare letter: keys meant for another place must not take the browser. */
export const TAKEOVER_KEYS = 'mod+shift+l'

/** The chat gives its place to the page while the user controls its browser. */
export const openTakeover = (sessionId: string): void =>
  navigate(`${BASE}/s/${encodeURIComponent(sessionId)}?view=takeover`)

export const leaveTakeover = (sessionId: string): void =>
  navigate(`${BASE}/s/${encodeURIComponent(sessionId)}`, { replace: true })

export function useIsTakeover(): boolean {
  const [query] = useSearchParams()
  return query.get('view') === 'takeover'
}
