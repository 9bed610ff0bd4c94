import { create } from 'zustand'
import { api } from '@/api/client'
import { newId } from '@/lib/ids'
import { createIfPending, isAway, serverIsBack } from '@/session/send'
import { refreshFiles } from './files'

/** A file on its way to a session. `name` is the session's name for it as soon as it is there. */
export interface Attachment {
  id: string
  name: string
  file: File
  status: 'waiting' | 'sending' | 'ready' | 'failed'
  failure: string | null
}

/** `null` stands for the session that is about to begin: its files wait for it. */
const keyOf = (sessionId: string | null) => sessionId ?? 'new'

const useStore = create<Record<string, Attachment[]>>(() => ({}))
const NONE: Attachment[] = []
const uploads = new Map<string, Promise<void>>()

export const useAttachments = (sessionId: string | null): Attachment[] =>
  useStore((state) => state[keyOf(sessionId)] ?? NONE)

const listOf = (sessionId: string | null) => useStore.getState()[keyOf(sessionId)] ?? NONE
const keep = (sessionId: string | null, list: Attachment[]) => useStore.setState({ [keyOf(sessionId)]: list })

function change(sessionId: string | null, id: string, news: Partial<Attachment>): void {
  keep(
    sessionId,
    listOf(sessionId).map((item) => (item.id === id ? { ...item, ...news } : item)),
  )
}

export function attach(sessionId: string | null, files: Iterable<File>): void {
  for (const file of files) {
    const item: Attachment = { id: newId(), name: file.name, file, status: 'waiting', failure: null }
    keep(sessionId, [...listOf(sessionId), item])
    if (sessionId) uploads.set(item.id, send(sessionId, item))
  }
}

export function detach(sessionId: string | null, item: Attachment): void {
  keep(
    sessionId,
    listOf(sessionId).filter((other) => other.id !== item.id),
  )
  if (!sessionId || item.status !== 'ready') return
  void api.removeFile(sessionId, item.name).finally(() => refreshFiles(sessionId))
}

/** Until it is there or refused. Where the server is away, it waits like a message does. */
async function send(sessionId: string, { id, file }: Attachment): Promise<void> {
  const isWanted = () => listOf(sessionId).some((item) => item.id === id)
  while (isWanted()) {
    change(sessionId, id, { status: 'sending', failure: null })
    try {
      await createIfPending(sessionId)
      const { name } = await api.upload(sessionId, file)
      change(sessionId, id, { status: 'ready', name })
      break
    } catch (error) {
      if (isAway(error)) {
        change(sessionId, id, { status: 'waiting' })
        await serverIsBack()
      } else {
        change(sessionId, id, { status: 'failed', failure: (error as Error).message })
        break
      }
    }
  }
  refreshFiles(sessionId)
}

/** The files that waited for a session, now that it exists. */
export function hand(sessionId: string): void {
  const waiting = listOf(null)
  keep(null, [])
  keep(sessionId, waiting)
  for (const item of waiting) uploads.set(item.id, send(sessionId, item))
}

/** The names of all that is attached, when it has arrived; what failed stays in sight. */
export async function settle(sessionId: string): Promise<string[]> {
  await Promise.all(listOf(sessionId).map((item) => uploads.get(item.id)))
  const [ready, failed] = [
    listOf(sessionId).filter(isReady),
    listOf(sessionId).filter((item) => !isReady(item)),
  ]
  keep(sessionId, failed)
  for (const item of ready) uploads.delete(item.id)
  return ready.map((item) => item.name)
}

/** As far as known: a name may still change when its file arrives. */
export const namesOf = (sessionId: string): string[] =>
  listOf(sessionId)
    .filter(({ status }) => status !== 'failed')
    .map(({ name }) => name)

const isReady = (item: Attachment) => item.status === 'ready'

export const hasAttachments = (sessionId: string | null): boolean => listOf(sessionId).length > 0
