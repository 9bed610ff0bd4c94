import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CalendarClock, Download, Plus } from 'lucide-react'
import { api, downloads } from '@/api/client'
import { AutomationItem } from '@/features/automations/AutomationItem'
import { words } from '@/features/automations/automationWords'
import { Coming } from '@/features/automations/Coming'
import { useWords } from '@/i18n'
import { download } from '@/lib/download'
import { useScheduleDraft } from '@/lib/scheduleDraft'
import { useTitle } from '@/lib/title'
import { Button } from '@/ui/Button'
import { ImportButton } from '@/ui/ImportButton'
import { SidebarButton } from '@/ui/SidebarButton'
import { Spinner } from '@/ui/Spinner'
import { toast } from '@/ui/Toasts'

const REFRESH = 5000

/** All automations, and what comes. */
export default function AutomationsPage() {
  const t = useWords(words)
  const { data, isPending, isError, refetch } = useQuery({
    queryKey: ['automations'],
    queryFn: api.automations,
    refetchInterval: REFRESH,
  })
  const open = useScheduleDraft((state) => state.open)
  useTitle(`${t('automations')} – Pilothouse`, 'none')
  const items = data?.items ?? []
  return (
    <div className="flex h-full flex-col">
      <header className="flex h-12 shrink-0 items-center gap-2 px-2 md:px-4">
        <SidebarButton />
        <h1 className="min-w-0 flex-1 truncate font-medium">{t('automations')}</h1>
        <Button tone="primary" onClick={() => open({})}>
          <Plus size={15} aria-hidden />
          <span className="max-md:sr-only">{t('auto.new')}</span>
        </Button>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex max-w-[720px] flex-col px-4 pb-8">
          <p className="mb-4 text-sm text-muted">{t('auto.about')}</p>
          {isPending && <Spinner className="text-muted" />}
          {isError && (
            <div role="alert" className="flex flex-col items-start gap-3">
              <p className="text-sm">{t('auto.failed')}</p>
              <Button onClick={() => void refetch()}>{t('retry')}</Button>
            </div>
          )}
          {data && items.length === 0 && <NoAutomations />}
          {items.length > 0 && (
            <div id="feed" role="feed" aria-label={t('automations')} className="flex flex-col gap-3">
              {items.map((automation, index) => (
                <AutomationItem key={automation.id} automation={automation} index={index} />
              ))}
            </div>
          )}
          <div className="mt-4 flex flex-wrap gap-2">
            <ImportAutomations />
            {items.length > 0 && (
              <Button small tone="quiet" onClick={() => download(downloads.automations)}>
                <Download size={14} aria-hidden />
                {t('auto.export')}
              </Button>
            )}
          </div>
          {items.length > 0 && <Coming />}
        </div>
      </div>
    </div>
  )
}

function ImportAutomations() {
  const t = useWords(words)
  const client = useQueryClient()
  const add = async (document: unknown) => {
    try {
      const { items } = await api.importAutomations(document)
      toast(t('auto.imported', { n: items.length }))
    } finally {
      await client.invalidateQueries({ queryKey: ['automations'] })
    }
  }
  return <ImportButton label={t('auto.import')} unreadable={t('auto.import.bad')} onDocument={add} />
}

function NoAutomations() {
  const t = useWords(words)
  return (
    <div className="flex flex-col items-center gap-2 py-16 text-center">
      <CalendarClock size={32} strokeWidth={1.5} aria-hidden className="text-faint" />
      <p className="font-medium">{t('auto.none')}</p>
      <p className="max-w-80 text-sm text-muted">{t('auto.none.about')}</p>
    </div>
  )
}
