import { Play } from 'lucide-react'
import { useLocation } from 'wouter'
import { isOfInputMethod } from '@/lib/keys'
import { startSession } from '@/session/send'
import { useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useWords } from '@/i18n'
import { cx } from '@/lib/cx'
import { Kbd } from '@/ui/Kbd'
import { type Hit, useCommands } from './commands'
import { useHitsHere, useSessionHits } from './hits'
import { marked, patternsOf } from './match'
import { words } from './searchWords'

interface Props {
  listId: string
  label: string
  sessionId: string | null
  query: string
  box: HTMLInputElement | null
  /** The id of the line that Enter chooses. */
  onActive: (id: string | undefined) => void
  onChoose: (act: () => void) => void
}

/** What the box finds, chosen by arrow keys in the box or by the pointer. */
export default function CommandHits({ listId, label, sessionId, query, box, onActive, onChoose }: Props) {
  const t = useWords(words)
  const { hits, isAnswered } = useHits(sessionId, query)
  // By id: results that come later move the lines.
  const [chosen, setChosen] = useState<{ query: string; id: string } | null>(null)
  const place = chosen?.query === query ? hits.findIndex(({ id }) => id === chosen.id) : 0
  const current = Math.max(place, 0)
  const choose = (index: number) => hits[index] && setChosen({ query, id: hits[index].id })
  const activeId = hits[current] && `${listId}-${current}`
  useEffect(() => onActive(activeId), [activeId, onActive])

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (isOfInputMethod(event)) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) choose((current + step + hits.length) % Math.max(hits.length, 1))
    else if (event.key !== 'Enter') return
    else if (hits[current]) onChoose(hits[current].act)
    event.preventDefault()
  })
  // Before the lines are painted: a key that follows at once counts.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => onKeyDown(event)
    box?.addEventListener('keydown', press)
    return () => box?.removeEventListener('keydown', press)
  }, [box])
  return (
    <>
      <List
        id={listId}
        label={label}
        hits={hits}
        isAnswered={isAnswered}
        active={current}
        query={query}
        onActive={choose}
        onChoose={(hit) => onChoose(hit.act)}
      />
      <Footer />
      <p role="status" className="sr-only">
        {hits.length > 0 || isAnswered ? t('menu.results', { n: hits.length }) : t('menu.searching')}
      </p>
    </>
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
/** The line that is offered where nothing is found. */
const START = 'start'

/** What was written is looked for in the session, then in all of them; commands come first while nothing is. */
function useHits(sessionId: string | null, query: string): { hits: Hit[]; isAnswered: boolean } {
  const t = useWords(words)
  const [, go] = useLocation()
  const isAtRest = query.trim() === ''
  const commands = useCommands(sessionId, query)
  const here = useHitsHere(sessionId, query)
  const { found, isAnswered } = useSessionHits(sessionId, query)
  const hits = isAtRest
    ? [...found.slice(0, 5), ...commands.slice(0, COMMANDS_AT_REST)]
    : [...here, ...found, ...commands]
  const task = query.trim()
  if (hits.length === 0 && isAnswered && task) {
    const start = () => go(`/s/${startSession(task, {})}`)
    hits.push({
      id: START,
      group: t('menu.commands'),
      icon: Play,
      label: t('menu.start', { task }),
      act: start,
    })
  }
  return { hits, isAnswered }
}

interface ListProps {
  id: string
  label: string
  hits: Hit[]
  isAnswered: boolean
  active: number
  query: string
  onActive: (index: number) => void
  onChoose: (hit: Hit) => void
}

function List({ id, label, hits, isAnswered, active, query, onActive, onChoose }: ListProps) {
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
      id={id}
      role="listbox"
      aria-label={label}
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
      {(hits.length === 0 || hits[0]?.id === START) && (
        <p className="px-2.5 py-6 text-center text-sm text-muted">
          {isAnswered ? t('search.none', { q: query }) : t('menu.searching')}
        </p>
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
