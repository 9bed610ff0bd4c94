import type { NewSession, ResultSchema, SendMode } from '@/api/types'
import type { Mark } from './pointing/pointMarks'
import { recall, recallAll, remember } from '@/lib/storage'

export interface Said {
  text: string
  mode: SendMode | null
  schema: ResultSchema | null
  /** What it points at; not set in what an older page has left. */
  marks?: Mark[]
}

/** A message that waits for the server. `session` is set while the session, too, exists only here. */
export interface Unsent {
  sessionId: string
  said: Said
  session: NewSession | null
}

const PREFIX = 'unsent.'
/** Milliseconds after which a message that a closed page has left is no longer sent by itself. */
const FRESH = 12 * 3_600_000

/** Keeps it beyond a reload, or forgets it. */
export function keepUnsent(clientId: string, message: Unsent | null): void {
  remember(PREFIX + clientId, message && JSON.stringify({ ...message, at: Date.now() }))
}

/** What an earlier page has left, by client id, in its order. Something old becomes the draft of its session instead. */
export function recallUnsent(): [string, Unsent][] {
  const now = Date.now()
  const kept = recallAll(PREFIX).flatMap(([clientId, text]) => {
    try {
      return [{ clientId, ...(JSON.parse(text) as Unsent & { at: number }) }]
    } catch {
      return []
    }
  })
  const isOld = ({ at }: { at: number }) => now - at > FRESH
  for (const { clientId, sessionId, said } of kept.filter(isOld)) {
    const draft = `draft.${sessionId}`
    if (!recall(draft)) remember(draft, said.text)
    keepUnsent(clientId, null)
  }
  return kept
    .filter((one) => !isOld(one))
    .sort((a, b) => a.at - b.at)
    .map(({ clientId, sessionId, said, session }) => [clientId, { sessionId, said, session }])
}
