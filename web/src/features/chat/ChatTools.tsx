import { openTakeover } from '@/features/takeover/wheel'
import { useShortcuts } from '@/lib/keys'

/** What a session answers to besides the conversation itself. */
export function ChatTools({ sessionId }: { sessionId: string }) {
  useShortcuts({ t: () => openTakeover(sessionId) })
  return null
}
