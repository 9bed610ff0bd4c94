import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api } from '@/api/client'
import { useWords } from '@/i18n'
import { Dialog } from '@/ui/Dialog'
import { Spinner } from '@/ui/Spinner'
import { GrantItem } from './GrantItem'
import { words } from './grantsWords'

interface Props {
  sessionId: string
  onClose: () => void
}

/** What is allowed in a session without asking, and the way back. */
export default function GrantsDialog({ sessionId, onClose }: Props) {
  const t = useWords(words)
  const { data, isPending, isError } = useQuery({
    queryKey: ['grants', sessionId],
    queryFn: () => api.grants(sessionId),
  })
  return (
    <Dialog open onClose={onClose} title={t('grants.session')}>
      <p className="mb-3 text-sm text-muted">{t('grants.here')}</p>
      {isPending && <Spinner className="text-muted" />}
      {isError && <p className="text-sm text-danger">{t('grants.failed')}</p>}
      {data?.items.length === 0 && <p className="text-sm">{t('grants.none.here')}</p>}
      <ul>
        {data?.items.map((grant) => (
          <GrantItem key={grant.id} grant={grant} />
        ))}
      </ul>
      <Link
        href="/grants"
        onClick={onClose}
        className="mt-3 inline-block rounded-sm text-sm text-accent-text hover:underline"
      >
        {t('grants.all')}
      </Link>
    </Dialog>
  )
}
