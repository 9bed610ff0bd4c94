import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { Grant } from '@/api/types'
import { useWords } from '@/i18n'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Spinner } from '@/ui/Spinner'
import { TimeStamp } from '@/ui/TimeStamp'
import { toast } from '@/ui/Toasts'
import { words } from './grantsWords'

interface Props {
  sessionId: string
  onClose: () => void
}

/** What was allowed once and for all in a session, and the way back. */
export default function GrantsDialog({ sessionId, onClose }: Props) {
  const t = useWords(words)
  const queryKey = ['grants', sessionId]
  const client = useQueryClient()
  const { data, isPending, isError } = useQuery({ queryKey, queryFn: () => api.grants(sessionId) })
  const revoke = async (grant: Grant) => {
    try {
      await api.revoke(sessionId, grant.id)
    } catch (error) {
      toast((error as Error).message)
    }
    await client.invalidateQueries({ queryKey })
  }
  return (
    <Dialog open onClose={onClose} title={t('grants')}>
      <p className="mb-3 text-sm text-muted">{t('grants.about')}</p>
      {isPending && <Spinner className="text-muted" />}
      {isError && <p className="text-sm text-danger">{t('grants.failed')}</p>}
      {data?.items.length === 0 && <p className="text-sm">{t('grants.none')}</p>}
      <ul>
        {data?.items.map((grant) => (
          <GrantItem key={grant.id} grant={grant} onRevoke={() => void revoke(grant)} />
        ))}
      </ul>
    </Dialog>
  )
}

function GrantItem({ grant, onRevoke }: { grant: Grant; onRevoke: () => void }) {
  const t = useWords(words)
  const key = `kind.${grant.kind}`
  const kind = key in words.en ? t(key as keyof typeof words.en) : grant.kind
  return (
    <li className="flex items-center gap-3 border-t border-line py-2">
      <div className="min-w-0 flex-1">
        <p className="text-sm font-medium wrap-anywhere">{kind}</p>
        <p className="truncate text-xs text-muted">
          {grant.site} · <TimeStamp at={grant.created_at} />
        </p>
      </div>
      <Button small aria-label={t('grants.revoke.what', { kind, site: grant.site })} onClick={onRevoke}>
        {t('grants.revoke')}
      </Button>
    </li>
  )
}
