import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api } from '@/api/client'
import type { Automation, Firing } from '@/api/types'
import { useLang, useWords } from '@/i18n'
import { inLanguage } from '@/i18n/sentences'
import { changeWords, countWords } from '@/session/changeWords'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { Spinner } from '@/ui/Spinner'
import { words } from './automationWords'
import { atTime } from './dueRule'
import { TONES } from './outcomes'

/** The firings of an automation, the newest first. */
export function FiringLog({ automation }: { automation: Automation }) {
  const t = useWords(words)
  const { data, isPending, isError, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['automations', automation.id, 'firings', automation.last?.id, automation.last?.outcome],
    queryFn: ({ pageParam }) => api.firings(automation.id, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  })
  const firings = data?.pages.flatMap((page) => page.items) ?? []
  return (
    <div className="pt-1">
      {isPending && <Spinner className="text-muted" />}
      {isError && <p className="text-sm text-danger">{t('auto.failed')}</p>}
      {data && firings.length === 0 && <p className="text-sm text-muted">{t('auto.log.none')}</p>}
      <ul>
        {firings.map((firing) => (
          <FiringItem key={firing.id} firing={firing} zone={automation.zone} />
        ))}
      </ul>
      {hasNextPage && (
        <Button small tone="quiet" onClick={() => void fetchNextPage()}>
          {t('more')}
        </Button>
      )}
    </div>
  )
}

function FiringItem({ firing, zone }: { firing: Firing; zone: string }) {
  const t = useWords(words)
  const lang = useLang()
  const tell = useWords(changeWords)
  const steps = (texts: string[]) => texts.map((text) => t('auto.step', { text })).join('; ')
  const { outcome, receipt, why, change } = firing
  return (
    <li className="flex flex-col gap-1 border-t border-line py-2 text-xs">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone={TONES[outcome]}>{t(`outcome.${outcome}`)}</Badge>
        <span className="tabular-nums">{atTime(firing.slot ?? firing.at, zone, lang)}</span>
        {firing.until && firing.count > 1 && (
          <span className="tabular-nums">
            {`– ${atTime(firing.until, zone, lang)} (${t('auto.missed.times', { n: firing.count })})`}
          </span>
        )}
        <span className="text-muted">{why ? t(`why.${why}`) : t(`cause.${firing.cause}`)}</span>
        {change && (
          <span className="text-muted">
            {change.counts ? countWords(change.counts, tell) : tell(`change.${change.kind}`)}
          </span>
        )}
        {firing.session_id && (
          <Link
            href={`/s/${encodeURIComponent(firing.session_id)}`}
            className="touch ml-auto flex items-center rounded-sm font-medium text-accent-text hover:underline"
          >
            {t('auto.open')}
          </Link>
        )}
      </div>
      {receipt && (
        <div className="wrap-anywhere text-muted">
          <p>{t('auto.waited', { what: inLanguage(receipt.waited_for, receipt.waited_for_parts) })}</p>
          {receipt.done.length > 0 && <p>{t('auto.done', { what: steps(receipt.done) })}</p>}
          {receipt.left.length > 0 && <p>{t('auto.left', { what: steps(receipt.left) })}</p>}
        </div>
      )}
    </li>
  )
}
