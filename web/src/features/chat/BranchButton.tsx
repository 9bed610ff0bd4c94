import { GitBranch } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '@/api/client'
import { refreshLists } from '@/api/queries'
import { useT } from '@/i18n'
import { useSessionId } from '@/session/sessionId'
import { IconButton } from '@/ui/IconButton'
import { toast } from '@/ui/Toasts'

/** A new session that knows the conversation up to this message. */
export function BranchButton({ messageId }: { messageId: string }) {
  const t = useT()
  const sessionId = useSessionId()
  const [, go] = useLocation()
  const [isBusy, setBusy] = useState(false)
  const branch = async () => {
    setBusy(true)
    try {
      const session = await api.branch(sessionId, messageId)
      refreshLists()
      toast(t('session.branched'), { timeout: 8000 })
      go(`/s/${session.id}`)
    } catch (error) {
      toast((error as Error).message)
      setBusy(false)
    }
  }
  return (
    <IconButton small label={t('branch')} disabled={isBusy} onClick={() => void branch()}>
      <GitBranch size={14} aria-hidden />
    </IconButton>
  )
}
