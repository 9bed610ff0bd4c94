import { api } from '@/api/client'
import { refreshLists } from '@/api/queries'
import type { SendMode } from '@/api/types'
import { translate } from '@/i18n'
import { newId } from '@/lib/ids'
import { sendMessage } from '@/session/send'
import { hand, hasAttachments, settle } from './attachments'

/** Sends a message that names its files, as soon as they have arrived. */
export function sendWithFiles(sessionId: string, text: string, mode: SendMode | null): void {
  if (!hasAttachments(sessionId)) return sendMessage(sessionId, text, mode)
  void settle(sessionId).then((names) => sendMessage(sessionId, withNames(text, names), mode))
}

/** Begins a session whose first message has files: they need the session before the message does. */
export async function startWithFiles(
  text: string,
  choice: { agent?: string; model?: string },
): Promise<string> {
  const id = newId()
  await api.createSession({ id, ...choice })
  refreshLists()
  hand(id)
  sendWithFiles(id, text, null)
  return id
}

const withNames = (text: string, names: string[]): string =>
  names.length > 0 ? `${text}\n\n${translate('attached')}: ${names.join(', ')}` : text
