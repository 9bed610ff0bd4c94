import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { KeptSite } from '@/api/types'
import { useLang, useWords } from '@/i18n'
import { Button } from '@/ui/Button'
import { Spinner } from '@/ui/Spinner'
import { TimeStamp } from '@/ui/TimeStamp'
import { toast } from '@/ui/Toasts'
import { words } from './keptSiteWords'

/** The sites that stay signed in for all sessions, each with the way to end it. */
export function KeptSiteList() {
  const t = useWords(words)
  const { data, isError, refetch } = useQuery({ queryKey: ['kept-sites'], queryFn: api.keptSites })
  if (isError)
    return (
      <div role="alert" className="flex flex-col items-start gap-3">
        <p className="text-sm">{t('kept.failed')}</p>
        <Button onClick={() => void refetch()}>{t('retry')}</Button>
      </div>
    )
  if (!data) return <Spinner className="text-muted" />
  if (data.items.length === 0) return <p className="text-sm text-muted">{t('kept.none')}</p>
  return (
    <>
      <ul>
        {data.items.map((kept) => (
          <KeptSiteItem key={kept.id} kept={kept} />
        ))}
      </ul>
      <p className="text-xs text-muted">{t('kept.end.note')}</p>
    </>
  )
}

function KeptSiteItem({ kept }: { kept: KeptSite }) {
  const t = useWords(words)
  const lang = useLang()
  const client = useQueryClient()
  const end = async () => {
    try {
      await api.endKeptSite(kept.id)
    } catch (error) {
      toast((error as Error).message)
    }
    await client.invalidateQueries({ queryKey: ['kept-sites'] })
  }
  const date = new Date(kept.expires_at).toLocaleDateString(lang)
  return (
    <li className="flex items-start gap-3 border-t border-line py-3">
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <p className="text-sm font-medium wrap-anywhere">{kept.site}</p>
        <p className="tabular text-xs text-muted">
          {t('kept.cookies', { n: kept.count })} · {t('kept.until', { date })}
          {kept.last_used_at && (
            <>
              {' · '}
              {t('kept.used')}: <TimeStamp at={kept.last_used_at} />
            </>
          )}
        </p>
      </div>
      <Button small aria-label={t('kept.end.of', { site: kept.site })} onClick={() => void end()}>
        {t('kept.end')}
      </Button>
    </li>
  )
}
