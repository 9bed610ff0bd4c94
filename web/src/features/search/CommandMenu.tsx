import { Dialog } from '@base-ui/react/dialog'
import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useWords } from '@/i18n'
import { cx } from '@/lib/cx'
import { Kbd } from '@/ui/Kbd'
import { type Hit, useCommands } from './commands'
import { useHitsHere, useSessionHits } from './hits'
import { marked, patternsOf } from './match'
import { words } from './searchWords'

interface Props {
  sessionId: string | null
  onClose: () => void
}

/** Sessions, messages and commands in one box. */
export default function CommandMenu({ sessionId, onClose }: Props) {
  const t = useWords(words)
  const id = useId()
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const hasActed = useRef(false)
  const hits = useHits(sessionId, query)
  const current = Math.min(active, Math.max(hits.length - 1, 0))

  const choose = (hit: Hit | undefined) => {
    if (!hit) return
    hasActed.current = true
    onClose()
    hit.act()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setActive((current + step + hits.length) % Math.max(hits.length, 1))
    else if (event.key === 'Enter') choose(hits[current])
    else return
    event.preventDefault()
  }
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="overlay fixed inset-0 z-30 bg-backdrop" />
        <Dialog.Popup
          finalFocus={() => !hasActed.current}
          className="overlay overlay-pop fixed inset-x-2 top-2 z-30 mx-auto flex max-h-[min(70dvh,560px)] max-w-xl flex-col overflow-hidden rounded-xl border border-line bg-bg shadow-lg shadow-backdrop/10 md:top-[12dvh]"
        >
          <Dialog.Title className="sr-only">{t('menu.search')}</Dialog.Title>
          <div className="relative shrink-0 border-b border-line">
            <Search
              size={17}
              aria-hidden
              className="pointer-events-none absolute top-3.5 left-4 text-faint"
            />
            <input
              role="combobox"
              aria-expanded
              aria-controls={`${id}-list`}
              aria-activedescendant={hits[current] && `${id}-${current}`}
              aria-autocomplete="list"
              aria-label={t('menu.search')}
              placeholder={t('menu.hint')}
              spellCheck={false}
              value={query}
              onChange={(event) => {
                setQuery(event.target.value)
                setActive(0)
              }}
              onKeyDown={onKeyDown}
              className="h-12 w-full bg-transparent pr-4 pl-11 text-base outline-none placeholder:text-faint"
            />
          </div>
          <List id={id} hits={hits} active={current} query={query} onActive={setActive} onChoose={choose} />
          <Footer />
          <p role="status" className="sr-only">
            {t('menu.results', { n: hits.length })}
          </p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Footer() {
  const t = useWords(words)
  return (
    <p
      aria-hidden
      className="flex shrink-0 items-center gap-1.5 border-t border-line px-4 py-2 text-2xs text-muted pointer-coarse:hidden"
    >
      <Kbd keys="up" />
      <Kbd keys="down" />
      <span className="mr-2.5">{t('menu.choose')}</span>
      <Kbd keys="enter" />
      {t('menu.open')}
    </p>
  )
}

const COMMANDS_AT_REST = 6

/** What was written is looked for in the session, then in all of them; commands come first while nothing is. */
function useHits(sessionId: string | null, query: string): Hit[] {
  const isAtRest = query.trim() === ''
  const commands = useCommands(sessionId, query)
  const here = useHitsHere(sessionId, query)
  const sessions = useSessionHits(sessionId, query)
  if (isAtRest) return [...sessions.slice(0, 5), ...commands.slice(0, COMMANDS_AT_REST)]
  return [...here, ...sessions, ...commands]
}

interface ListProps {
  id: string
  hits: Hit[]
  active: number
  query: string
  onActive: (index: number) => void
  onChoose: (hit: Hit) => void
}

function List({ id, hits, active, query, onActive, onChoose }: ListProps) {
  const t = useWords(words)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [active, hits.length])
  const patterns = useMemo(() => patternsOf(query), [query])
  const groups = [...new Set(hits.map((hit) => hit.group))]
  return (
    <div
      ref={list}
      id={`${id}-list`}
      role="listbox"
      aria-label={t('menu.search')}
      className="min-h-0 flex-1 overflow-y-auto p-1.5"
    >
      {groups.map((group) => (
        <div key={group} role="group" aria-label={group}>
          <p aria-hidden className="px-2.5 pt-2 pb-1 text-2xs font-medium text-faint">
            {group}
          </p>
          {hits.map(
            (hit, index) =>
              hit.group === group && (
                <Line
                  key={hit.id}
                  id={`${id}-${index}`}
                  hit={hit}
                  patterns={patterns}
                  isActive={index === active}
                  onActive={() => onActive(index)}
                  onChoose={() => onChoose(hit)}
                />
              ),
          )}
        </div>
      ))}
      {hits.length === 0 && (
        <p className="px-2.5 py-6 text-center text-sm text-muted">{t('search.none', { q: query })}</p>
      )}
    </div>
  )
}

interface LineProps {
  id: string
  hit: Hit
  patterns: RegExp[]
  isActive: boolean
  onActive: () => void
  onChoose: () => void
}

function Line({
  id,
  hit: { icon: Icon, label, detail, keys },
  patterns,
  isActive,
  onActive,
  onChoose,
}: LineProps) {
  return (
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      onPointerMove={onActive}
      onClick={onChoose}
      className={cx(
        'touch flex min-h-9 items-center gap-2.5 rounded-md px-2.5 py-1 text-sm',
        isActive && 'bg-s2',
      )}
    >
      <Icon size={16} aria-hidden className="shrink-0 text-muted" />
      <span className="min-w-0 flex-1">
        <span className="block truncate">
          {marked(label, patterns).map((part, index) => (index % 2 ? <mark key={index}>{part}</mark> : part))}
        </span>
        {detail && <span className="block truncate text-2xs text-muted">{detail}</span>}
      </span>
      {keys && <Kbd keys={keys} />}
    </div>
  )
}
