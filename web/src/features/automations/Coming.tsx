import { useQuery } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { Upcoming } from '@/api/types'
import { useLang, useWords } from '@/i18n'
import { words } from './automationWords'
import { timeFormat, zoneOfTimes } from '@/lib/time'

/** A calendar of what is due, day by day, in the person's zone. */
export function Coming() {
  const t = useWords(words)
  const lang = useLang()
  const { data } = useQuery({ queryKey: ['automations', 'upcoming'], queryFn: api.upcoming })
  if (!data) return null
  const day = timeFormat(lang, { weekday: 'long', day: 'numeric', month: 'long' })
  const clock = timeFormat(lang, { hour: '2-digit', minute: '2-digit' })
  return (
    <section aria-label={t('auto.coming')} className="mt-8">
      <h2 className="text-sm font-medium">{t('auto.coming')}</h2>
      <p className="mb-2 text-xs text-muted">{t('auto.coming.zone', { zone: zoneOfTimes() })}</p>
      {data.items.length === 0 && <p className="text-sm text-muted">{t('auto.coming.none')}</p>}
      <ol className="flex flex-col">
        {byDay(data.items, day).map(([name, items]) => (
          <li key={name} className="flex gap-3 border-t border-line py-2 max-md:flex-col max-md:gap-1">
            <h3 className="w-52 shrink-0 text-sm text-muted first-letter:uppercase">{name}</h3>
            <ul className="min-w-0 flex-1 text-sm">
              {items.map(({ automation_id: id, at, name: what }) => (
                <li key={id + at} className="flex gap-2">
                  <time dateTime={at} className="shrink-0 tabular-nums">
                    {clock.format(new Date(at))}
                  </time>
                  <span className="min-w-0 truncate">{what}</span>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </section>
  )
}

function byDay(items: Upcoming[], format: Intl.DateTimeFormat): [string, Upcoming[]][] {
  const days = new Map<string, Upcoming[]>()
  for (const item of items) {
    const name = format.format(new Date(item.at))
    days.set(name, [...(days.get(name) ?? []), item])
  }
  return [...days]
}
