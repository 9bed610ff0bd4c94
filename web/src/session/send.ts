import { api } from '@/api/client'
import { ApiError } from '@/api/http'
import { refreshLists, rereadIfFailed, whileArriving } from '@/api/queries'
import type { NewSession, ResultSchema, SendMode } from '@/api/types'
import { newId } from '@/lib/ids'
import type { UserRow } from '@/stream/rows'
import { storeOf } from '@/stream/store'

/** Sessions that so far exist only here. */
const unborn = new Map<string, NewSession>()

/** Shows the message at once and sends it; the row itself tells of a failure. */
export function sendMessage(
  sessionId: string,
  text: string,
  mode: SendMode | null,
  schema: ResultSchema | null = null,
): void {
  sendAgain(sessionId, newId(), { text, mode, schema })
}

type Said = Pick<UserRow, 'text' | 'mode' | 'schema'>

/** By client id, in the order in which they were sent: what waits until the server can be reached. */
const waiting = new Map<string, { sessionId: string; said: Said }>()

/** Sends what has waited, one after the other; ends when the server is away again. */
export async function sendWaiting(): Promise<void> {
  const begun = new Set<string>()
  for (const [clientId, { sessionId, said }] of waiting) {
    // The message before it may have begun a run: then this one is next.
    const mode = said.mode ?? (begun.has(sessionId) ? 'queue' : null)
    storeOf(sessionId).getState().propose(clientId, said.text, mode, said.schema)
    await deliver(sessionId, clientId, { ...said, mode })
    if (waiting.has(clientId)) return
    begun.add(sessionId)
  }
}

/** The same `client_id` again: the server answers the same and starts nothing twice. */
export function sendAgain(sessionId: string, clientId: string, said: Said): void {
  storeOf(sessionId).getState().propose(clientId, said.text, said.mode, said.schema)
  void deliver(sessionId, clientId, said)
}

/** Begins a session with its first message; the answer is its id. */
export function startSession(
  text: string,
  choice: { agent?: string; model?: string },
  schema: ResultSchema | null = null,
): string {
  const id = newId()
  unborn.set(id, { id, ...choice })
  storeOf(id).setState({ loaded: true })
  sendMessage(id, text, null, schema)
  return id
}

async function deliver(sessionId: string, clientId: string, said: Said): Promise<void> {
  const delivery = hand(sessionId, clientId, said)
  if (unborn.has(sessionId)) whileArriving(sessionId, delivery)
  await delivery
}

async function hand(sessionId: string, clientId: string, { text, mode, schema }: Said): Promise<void> {
  const store = storeOf(sessionId).getState()
  try {
    await create(sessionId)
    const wish = { ...(mode ? { mode } : {}), ...(schema ? { result_schema: schema } : {}) }
    store.accept(await api.send(sessionId, { content: text, client_id: clientId, ...wish }))
    waiting.delete(clientId)
  } catch (error) {
    const waits = isAway(error)
    if (waits) waiting.set(clientId, { sessionId, said: { text, mode, schema } })
    else waiting.delete(clientId)
    store.reject(clientId, (error as Error).message, waits)
  }
}

/** The server could not be reached, or goes down: it has not looked at what was sent. */
const isAway = (error: unknown): boolean =>
  error instanceof ApiError && [0, 502, 503, 504].includes(error.status)

async function create(sessionId: string): Promise<void> {
  const session = unborn.get(sessionId)
  if (!session) return
  await api.createSession(session)
  unborn.delete(sessionId)
  refreshLists()
  rereadIfFailed(sessionId)
}
