import { useQuery } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { api } from '@/api/client'
import { GrantItem } from '@/features/grants/GrantItem'
import { words } from '@/features/grants/grantsWords'
import { useWords } from '@/i18n'
import { useTitle } from '@/lib/title'
import { Button } from '@/ui/Button'
import { SidebarButton } from '@/ui/SidebarButton'
import { Spinner } from '@/ui/Spinner'

const REFRESH = 5000

/** Everything that is allowed without asking, with its limits and uses. */
export default function GrantsPage() {
  const t = useWords(words)
  const { data, isPending, isError, refetch } = useQuery({
    queryKey: ['grants'],
    queryFn: () => api.grants(),
    refetchInterval: REFRESH,
  })
  useTitle(`${t('grants')} – Pilothouse`, 'none')
  return (
    <div className="flex h-full flex-col">
      <header className="flex h-12 shrink-0 items-center gap-2 px-2 md:px-4">
        <SidebarButton />
        <h1 className="min-w-0 flex-1 truncate font-medium">{t('grants')}</h1>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex max-w-[720px] flex-col px-4 pb-8">
          <p className="mb-4 text-sm text-muted">{t('grants.about')}</p>
          {isPending && <Spinner className="text-muted" />}
          {isError && (
            <div role="alert" className="flex flex-col items-start gap-3">
              <p className="text-sm">{t('grants.failed')}</p>
              <Button onClick={() => void refetch()}>{t('retry')}</Button>
            </div>
          )}
          {data?.items.length === 0 && <Empty />}
          <ul className="empty:hidden">
            {data?.items.map((grant) => (
              <GrantItem key={grant.id} grant={grant} />
            ))}
          </ul>
        </div>
      </div>
    </div>
  )
}

function Empty() {
  const t = useWords(words)
  return (
    <div className="flex flex-col items-center gap-2 py-16 text-center">
      <ShieldCheck size={32} strokeWidth={1.5} aria-hidden className="text-faint" />
      <p className="font-medium">{t('grants.none')}</p>
      <p className="max-w-80 text-sm text-muted">{t('grants.none.about')}</p>
    </div>
  )
}
