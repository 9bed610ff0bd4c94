import { api } from '@/api/client'
import { refreshLists } from '@/api/queries'
import type { ResultSchema, SendMode } from '@/api/types'
import { withAttached } from '@/lib/attached'
import { newId } from '@/lib/ids'
import { sendMessage } from '@/session/send'
import { hand, hasAttachments, settle } from './attachments'

/** Sends a message that names its files, as soon as they have arrived. */
export function sendWithFiles(
  sessionId: string,
  text: string,
  mode: SendMode | null,
  schema: ResultSchema | null,
): void {
  if (!hasAttachments(sessionId)) return sendMessage(sessionId, text, mode, schema)
  void settle(sessionId).then((names) => sendMessage(sessionId, withAttached(text, names), mode, schema))
}

/** Begins a session whose first message has files: they need the session before the message does. */
export async function startWithFiles(
  text: string,
  choice: { agent?: string; model?: string },
  schema: ResultSchema | null,
): Promise<string> {
  const id = newId()
  await api.createSession({ id, ...choice })
  refreshLists()
  hand(id)
  sendWithFiles(id, text, null, schema)
  return id
}
