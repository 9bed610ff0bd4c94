import { api } from '@/api/client'
import { toast } from '@/ui/Toasts'

/** Milliseconds for which a permission can be taken back from the note about it. */
const UNDO_TIME = 10_000

interface Words {
  given: string
  undo: string
  undone: string
}

/** The permissions that count in a session. */
export async function grantIds(sessionId: string): Promise<ReadonlySet<string>> {
  const { items } = await api.grants(sessionId)
  return new Set(items.map(({ id }) => id))
}

/** Says that a yes has given a permission, and takes back on demand what was not there `before`. */
export function offerUndo(sessionId: string, before: ReadonlySet<string>, words: Words): void {
  const revoke = async () => {
    try {
      const given = [...(await grantIds(sessionId))].filter((id) => !before.has(id))
      await Promise.all(given.map((id) => api.revoke(id)))
      toast(words.undone)
    } catch (error) {
      toast((error as Error).message)
    }
  }
  toast(words.given, { action: { label: words.undo, act: () => void revoke() }, timeout: UNDO_TIME })
}
