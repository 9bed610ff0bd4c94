import { useLocation } from 'wouter'
import { api } from '@/api/client'
import { patchCached, refreshLists } from '@/api/queries'
import type { Session, SessionPatch } from '@/api/types'
import { useT } from '@/i18n'
import { toast } from '@/ui/Toasts'

const UNDO_TIME = 8000
export const TITLE_CHARS = 200

export function useSessionActions() {
  const t = useT()
  const [path, go] = useLocation()

  /** Shown at once; taken back when the server refuses. */
  const patch = async (id: string, change: SessionPatch) => {
    patchCached(id, (session) => ({ ...session, ...change }) as Session)
    try {
      await api.patchSession(id, change)
    } catch (error) {
      toast((error as Error).message)
      refreshLists()
    }
  }

  const restore = async (session: Session) => {
    await api.patchSession(session.id, { archived: false }).catch((error: Error) => toast(error.message))
    refreshLists()
  }

  const remove = async (session: Session) => {
    patchCached(session.id, () => null)
    if (path === `/s/${session.id}`) go('/')
    try {
      await api.deleteSession(session.id)
      const undo = { label: t('undo'), act: () => void restore(session) }
      toast(t('sessions.deleted', { title: session.title }), { action: undo, timeout: UNDO_TIME })
    } catch (error) {
      toast((error as Error).message)
      refreshLists()
    }
  }

  return { patch, remove }
}
