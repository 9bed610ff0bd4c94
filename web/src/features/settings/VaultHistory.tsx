import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { VaultLog } from '@/api/types'
import { vaultApi } from '@/api/vault'
import { useWords } from '@/i18n'
import { Button } from '@/ui/Button'
import { Disclosure } from '@/ui/Disclosure'
import { Spinner } from '@/ui/Spinner'
import { TimeStamp } from '@/ui/TimeStamp'
import { words } from './vaultWords'

/** What happened to logins, newest first. */
export function VaultHistory() {
  const t = useWords(words)
  const [isOpen, setOpen] = useState(false)
  return (
    <section>
      <Disclosure
        open={isOpen}
        onToggle={() => setOpen(!isOpen)}
        summary={<h2 className="font-bold">{t('log.title')}</h2>}
        note={<span className="text-sm text-muted">{t('log.about')}</span>}
      >
        <Entries />
      </Disclosure>
    </section>
  )
}

function Entries() {
  const t = useWords(words)
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['vault', 'log'],
    queryFn: ({ pageParam }) => vaultApi.log(pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: (page: VaultLog) => page.next_before,
  })
  if (error) {
    return (
      <p role="alert" className="text-sm text-danger">
        {error.message}
      </p>
    )
  }
  if (!data) return <Spinner className="text-muted" />
  const items = data.pages.flatMap((page) => page.items)
  if (items.length === 0) return <p className="py-2 text-sm text-muted">{t('log.none')}</p>
  return (
    <>
      <ul className="py-2">
        {items.map((entry) => (
          <li key={entry.id} className="flex flex-wrap gap-x-2 border-t border-line py-1.5 text-sm">
            <TimeStamp at={entry.at} className="tabular text-muted" />
            <span className="font-medium wrap-anywhere">{entry.title}</span>
            <span>{t(`log.event.${entry.event}` as 'log.event.added')}</span>
            <span className="min-w-0 wrap-anywhere text-muted">
              {[entry.host, ...entry.fields, entry.reason].filter(Boolean).join(' · ')}
            </span>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Button small onClick={() => void fetchNextPage()}>
          {t('log.more')}
        </Button>
      )}
    </>
  )
}
