import { api } from '@/api/client'
import { ApiError } from '@/api/http'
import { refreshLists, rereadIfFailed, whileArriving } from '@/api/queries'
import type { NewSession, ResultSchema, SendMode } from '@/api/types'
import { newId } from '@/lib/ids'
import { storeOf } from '@/stream/store'
import { takeMarks, toBody } from './pointing/pointMarks'
import { keepUnsent, recallUnsent, type Said, type Unsent } from './unsent'

/** Sessions that so far exist only here. */
const pendingSessions = new Map<string, NewSession>()

/** Shows the message at once and sends it; its row shows a failure. */
export function sendMessage(
  sessionId: string,
  text: string,
  mode: SendMode | null,
  schema: ResultSchema | null = null,
): void {
  sendAgain(sessionId, newId(), { text, mode, schema, marks: takeMarks(sessionId) })
}

/** By client id, in the order in which they were sent: what waits until the server can be reached. */
const waiting = new Map<string, Unsent>()
/** Called when it is worth another try. */
let whenReached: (() => void)[] = []
/** Milliseconds until the next try where no stream shows that the server is back. */
const RETRY = 5000
let timer: ReturnType<typeof setTimeout> | undefined
let round: Promise<void> | null = null

/** Sends what has waited, one after the other; ends when the server is away again. */
export function sendWaiting(): Promise<void> {
  clearTimeout(timer)
  for (const resume of whenReached.splice(0)) resume()
  round ??= deliverWaiting().finally(() => (round = null))
  return round
}

async function deliverWaiting(): Promise<void> {
  const begun = new Set<string>()
  for (const [clientId, { sessionId, said }] of waiting) {
    // The message before it may have begun a run: then this one is next.
    const mode = said.mode ?? (begun.has(sessionId) ? 'queue' : null)
    storeOf(sessionId)
      .getState()
      .propose(clientId, { ...said, mode })
    await deliver(sessionId, clientId, { ...said, mode })
    if (waiting.has(clientId)) return
    begun.add(sessionId)
  }
}

function tryLater(): void {
  clearTimeout(timer)
  timer = setTimeout(() => void sendWaiting(), RETRY)
}

/** Until the server may be there again. */
export function serverIsBack(): Promise<void> {
  tryLater()
  return new Promise((resume) => whenReached.push(resume))
}

/** Shows what an earlier page could not send. It goes out with the rest, by `sendWaiting`. */
export function restoreUnsent(): void {
  for (const [clientId, message] of recallUnsent()) {
    if (waiting.has(clientId)) continue
    const { sessionId, said, session } = message
    waiting.set(clientId, message)
    if (session) expectSession(session)
    storeOf(sessionId).getState().propose(clientId, said)
    storeOf(sessionId).getState().reject(clientId, '', true)
  }
}

/** The same `client_id` again: the server answers the same and starts nothing twice. */
export function sendAgain(sessionId: string, clientId: string, said: Said): void {
  storeOf(sessionId).getState().propose(clientId, said)
  void deliver(sessionId, clientId, said)
}

/** What is chosen for a session before its first message; the server knows the rest. */
export type StartChoice = Pick<NewSession, 'agent' | 'model' | 'ask_first'>

/** Begins a session with its first message; the answer is its id. */
export function startSession(text: string, choice: StartChoice, schema: ResultSchema | null = null): string {
  const id = expectSession({ id: newId(), ...choice })
  sendMessage(id, text, null, schema)
  return id
}

/** The page shows this session from now on; the server gets it with the first thing that it is sent. Returns its id. */
export function expectSession(session: NewSession & { id: string }): string {
  pendingSessions.set(session.id, session)
  storeOf(session.id).setState({ loaded: true })
  return session.id
}

/** Is it a session that the server has not got yet? */
export const isExpected = (sessionId: string): boolean => pendingSessions.has(sessionId)

async function deliver(sessionId: string, clientId: string, said: Said): Promise<void> {
  const delivery = hand(sessionId, clientId, said)
  if (pendingSessions.has(sessionId)) whileArriving(sessionId, delivery)
  await delivery
}

async function hand(
  sessionId: string,
  clientId: string,
  { text, mode, schema, marks = [] }: Said,
): Promise<void> {
  const store = storeOf(sessionId).getState()
  const settle = (message: Unsent | null) => {
    if (message) waiting.set(clientId, message)
    else waiting.delete(clientId)
    keepUnsent(clientId, message)
  }
  try {
    await createIfPending(sessionId)
    const wish = {
      ...(mode ? { mode } : {}),
      ...(schema ? { result_schema: schema } : {}),
      ...(marks.length ? { pointers: marks.map(toBody) } : {}),
    }
    store.accept(await api.send(sessionId, { content: text, client_id: clientId, ...wish }))
    settle(null)
  } catch (error) {
    const waits = isAway(error)
    settle(
      waits
        ? { sessionId, said: { text, mode, schema, marks }, session: pendingSessions.get(sessionId) ?? null }
        : null,
    )
    store.reject(clientId, (error as Error).message, waits)
    if (waits) tryLater()
  }
}

/** The server could not be reached, or goes down: it has not looked at what was sent. */
export const isAway = (error: unknown): boolean =>
  error instanceof ApiError && [0, 502, 503, 504].includes(error.status)

const creations = new Map<string, Promise<unknown>>()

/** Creates the session on the server unless it is there. Two calls at once create it once. */
export async function createIfPending(sessionId: string): Promise<void> {
  const session = pendingSessions.get(sessionId)
  if (!session) return
  const creation =
    creations.get(sessionId) ?? api.createSession(session).finally(() => creations.delete(sessionId))
  creations.set(sessionId, creation)
  await creation
  if (!pendingSessions.delete(sessionId)) return
  refreshLists()
  rereadIfFailed(sessionId)
}
