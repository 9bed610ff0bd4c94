import {
  CalendarClock,
  Inbox,
  type LucideIcon,
  PanelLeft,
  Search,
  Settings,
  Lightbulb,
  ShieldCheck,
  SquarePen,
  X,
} from 'lucide-react'
import { useDeferredValue, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useConfig, useQuestionCount, useSessions } from '@/api/queries'
import { useT } from '@/i18n'
import { cx } from '@/lib/cx'
import { useNow } from '@/lib/time'
import { Appearance } from '@/ui/Appearance'
import { Badge } from '@/ui/Badge'
import { Brand } from '@/ui/Brand'
import { Button } from '@/ui/Button'
import { IconButton } from '@/ui/IconButton'
import { Tooltip } from '@/ui/Tooltip'
import { useGlide } from './glide'
import { groupSessions } from './groups'
import { SessionItem } from './SessionItem'

export function SessionSidebar({ onHide }: { onHide: () => void }) {
  const t = useT()
  const [words, setWords] = useState('')
  const isMock = useConfig()?.mode === 'mock'
  return (
    <nav aria-label={t('sessions')} className="flex h-full min-h-0 flex-col bg-s1">
      <div className="flex h-12 shrink-0 items-center justify-between pr-2 pl-4">
        <Brand />
        {isMock && (
          <span className="flex-1 pl-2" title={t('mode.mock')}>
            <Badge tone="info">{t('mode.mock.short')}</Badge>
          </span>
        )}
        <IconButton label={t('sidebar.hide')} keys="mod+b" onClick={onHide}>
          <PanelLeft size={17} aria-hidden />
        </IconButton>
      </div>
      <div className="flex flex-col gap-2 px-3 pt-1 pb-2">
        <NewSession />
        <InboxLink />
        <PageLink href="/automations" icon={CalendarClock} label={t('automations')} />
        <PageLink href="/knowledge" icon={Lightbulb} label={t('knowledge')} />
        <PageLink href="/grants" icon={ShieldCheck} label={t('grants')} />
        <SearchBox value={words} onChange={setWords} />
      </div>
      <List words={words} />
      <div className="flex shrink-0 items-center justify-between border-t border-line px-2 py-1.5">
        <Tooltip text={t('settings')}>
          <Link
            href="/settings"
            className="touch flex h-8 items-center gap-2 rounded-md px-2 text-sm text-muted hover:bg-s2 hover:text-text"
          >
            <Settings size={17} aria-hidden />
            {t('settings')}
          </Link>
        </Tooltip>
        <Appearance side="top" />
      </div>
    </nav>
  )
}

function NewSession() {
  const t = useT()
  const [, go] = useLocation()
  return (
    <Tooltip text={t('sessions.new')} keys="mod+shift+o">
      <Button className="w-full justify-start border-line" onClick={() => go('/')}>
        <SquarePen size={16} aria-hidden />
        {t('sessions.new')}
      </Button>
    </Tooltip>
  )
}

function InboxLink() {
  const t = useT()
  const count = useQuestionCount()
  return <PageLink href="/inbox" icon={Inbox} label={t('inbox')} count={count} />
}

interface PageLinkProps {
  href: string
  icon: LucideIcon
  label: string
  count?: number
}

function PageLink({ href, icon: Icon, label, count = 0 }: PageLinkProps) {
  const [path] = useLocation()
  const isCurrent = path === href
  return (
    <Link
      href={href}
      aria-current={isCurrent ? 'page' : undefined}
      className={cx(
        'touch flex h-8 items-center gap-2 rounded-md px-2.5 text-sm',
        isCurrent ? 'bg-s3' : 'hover:bg-s2',
      )}
    >
      <Icon size={16} aria-hidden />
      <span className="flex-1">{label}</span>
      {count > 0 && <Badge tone="warn">{count}</Badge>}
    </Link>
  )
}

function SearchBox({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const t = useT()
  return (
    <div className="relative">
      <Search
        size={15}
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-faint"
      />
      <input
        type="search"
        aria-label={t('search')}
        placeholder={t('search')}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onChange('')}
        className="touch h-8 w-full rounded-md border border-transparent bg-s2 pr-8 pl-8 text-sm placeholder:text-faint [&::-webkit-search-cancel-button]:hidden"
      />
      {value && (
        <IconButton
          small
          label={t('clear')}
          className="absolute top-1/2 right-0.5 -translate-y-1/2"
          onClick={() => onChange('')}
        >
          <X size={15} aria-hidden />
        </IconButton>
      )}
    </div>
  )
}

function List({ words }: { words: string }) {
  const t = useT()
  const q = useDeferredValue(words.trim())
  const { data, hasNextPage, fetchNextPage, isPending, isError, refetch } = useSessions(q)
  const more = useInSight(() => void fetchNextPage(), data)
  const now = useNow(60_000)
  const [path] = useLocation()
  const sessions = data?.pages.flatMap((page) => page.items) ?? []
  const list = useRef<HTMLDivElement>(null)
  useGlide(list, sessions.map(({ id }) => id).join(' '))
  return (
    <div ref={list} className="relative min-h-0 flex-1 overflow-y-auto px-2 pb-3">
      {groupSessions(sessions, new Date(now)).map(({ age, sessions: items }) => (
        <section key={age} aria-label={t(`age.${age}`)}>
          <h2 className="px-2.5 pt-3 pb-1 text-2xs font-medium text-faint">{t(`age.${age}`)}</h2>
          <ul>
            {items.map((session) => (
              <li key={session.id} data-glide={session.id}>
                <SessionItem session={session} current={path.startsWith(`/s/${session.id}`)} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {isError && (
        <div className="px-2.5 py-3 text-xs text-muted">
          {t('sessions.failed')}{' '}
          <Button small tone="quiet" onClick={() => void refetch()}>
            {t('retry')}
          </Button>
        </div>
      )}
      {!isPending && !isError && sessions.length === 0 && (
        <p className="px-2.5 py-3 text-xs text-muted">{q ? t('search.none', { q }) : t('sessions.none')}</p>
      )}
      {hasNextPage && (
        <Button ref={more} small tone="quiet" className="mt-2 w-full" onClick={() => void fetchNextPage()}>
          {t('more')}
        </Button>
      )}
    </div>
  )
}

/** Calls once when the element comes into sight, again after `given` has changed; a reader of the list need not press it. */
function useInSight(act: () => void, given: unknown) {
  const place = useRef<HTMLButtonElement>(null)
  const call = useEffectEvent(act)
  useEffect(() => {
    if (!place.current) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && call())
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [given])
  return place
}
