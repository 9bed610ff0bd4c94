import { whileArriving } from '@/api/queries'
import type { ResultSchema, SendMode } from '@/api/types'
import { withAttached } from '@/lib/attached'
import { newId } from '@/lib/ids'
import { expectSession, isExpected, sendAgain, sendMessage, type StartChoice } from '@/session/send'
import { takeMarks } from '@/session/pointing/pointMarks'
import { storeOf } from '@/stream/store'
import { hand, hasAttachments, namesOf, settle } from './attachments'

/** Shows a message that names its files at once, and sends it as soon as they have arrived. */
export function sendWithFiles(
  sessionId: string,
  text: string,
  mode: SendMode | null,
  schema: ResultSchema | null,
): void {
  if (!hasAttachments(sessionId)) return sendMessage(sessionId, text, mode, schema)
  const clientId = newId()
  const marks = takeMarks(sessionId)
  storeOf(sessionId)
    .getState()
    .propose(clientId, { text: withAttached(text, namesOf(sessionId)), mode, schema, marks })
  const arrival = settle(sessionId)
  if (isExpected(sessionId)) whileArriving(sessionId, arrival)
  void arrival.then((names) =>
    sendAgain(sessionId, clientId, { text: withAttached(text, names), mode, schema, marks }),
  )
}

/** Begins a session whose first message has files. Returns its id. */
export function startWithFiles(text: string, choice: StartChoice, schema: ResultSchema | null): string {
  const id = expectSession({ id: newId(), ...choice })
  hand(id)
  sendWithFiles(id, text, null, schema)
  return id
}
