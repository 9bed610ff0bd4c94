import { api } from '@/api/client'
import { refreshLists, rereadIfFailed, whileArriving } from '@/api/queries'
import type { NewSession, SendMode } from '@/api/types'
import { newId } from '@/lib/ids'
import { storeOf } from '@/stream/store'

/** Sessions that so far exist only here. */
const unborn = new Map<string, NewSession>()

/** Shows the message at once and sends it; the row itself tells of a failure. */
export function sendMessage(sessionId: string, text: string, mode: SendMode | null): void {
  const clientId = newId()
  storeOf(sessionId).getState().propose(clientId, text, mode)
  void deliver(sessionId, clientId, text, mode)
}

/** The same `client_id` again: the server answers the same and starts nothing twice. */
export function sendAgain(sessionId: string, clientId: string, text: string, mode: SendMode | null): void {
  storeOf(sessionId).getState().propose(clientId, text, mode)
  void deliver(sessionId, clientId, text, mode)
}

/** Begins a session with its first message; the answer is its id. */
export function startSession(text: string, choice: { agent?: string; model?: string }): string {
  const id = newId()
  unborn.set(id, { id, ...choice })
  storeOf(id).setState({ loaded: true })
  sendMessage(id, text, null)
  return id
}

async function deliver(
  sessionId: string,
  clientId: string,
  text: string,
  mode: SendMode | null,
): Promise<void> {
  const delivery = hand(sessionId, clientId, text, mode)
  if (unborn.has(sessionId)) whileArriving(sessionId, delivery)
  await delivery
}

async function hand(sessionId: string, clientId: string, text: string, mode: SendMode | null): Promise<void> {
  const store = storeOf(sessionId).getState()
  try {
    await create(sessionId)
    const body = { content: text, client_id: clientId, ...(mode ? { mode } : {}) }
    store.accept(await api.send(sessionId, body))
  } catch (error) {
    store.reject(clientId, (error as Error).message)
  }
}

async function create(sessionId: string): Promise<void> {
  const session = unborn.get(sessionId)
  if (!session) return
  await api.createSession(session)
  unborn.delete(sessionId)
  refreshLists()
  rereadIfFailed(sessionId)
}
