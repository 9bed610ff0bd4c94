import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import {
  type ComponentProps,
  type KeyboardEvent,
  memo,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useT } from '@/i18n'
import { isOpen } from '@/stream/live'
import { questionRowId } from '@/stream/rows'
import { useLive, useSessionStore } from '@/stream/store'
import { type Entry, entriesOf } from './entries'
import { FeedEntry } from './FeedEntry'
import { JumpToLatest } from './JumpToLatest'
import { useFollow } from './follow'
import { usePlace } from './place'
import { usePrinting } from './printing'
import { useReveal } from './reveal'

type Parts = Pick<ComponentProps<typeof FeedEntry>, 'Question' | 'Table'>

export function Feed({ sessionId, Question, Table }: Parts & { sessionId: string }) {
  const t = useT()
  const entries = useEntries()
  const scroller = useRef<HTMLDivElement>(null)
  const asked = useAsked(entries.list)
  const answer = useAnswer(entries.list)
  const { isAtEnd, stop, onChange, follow, scrollToFn } = useFollow(scroller, { asked, answer })
  const isPrinting = usePrinting()
  const virtual = useVirtualizer({
    count: entries.list.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => guess(entries.list[index]),
    getItemKey: (index) => entries.list[index]?.key ?? index,
    rangeExtractor: (range) =>
      isPrinting ? entries.list.map((_, index) => index) : withKept(range, scroller.current, entries.list),
    overscan: 6,
    paddingStart: 16,
    paddingEnd: 24,
    scrollPaddingEnd: 24,
    anchorTo: 'end',
    directDomUpdates: true,
    directDomUpdatesMode: 'position',
    onChange,
    scrollToFn,
  })
  stop.virtual = virtual
  // A row whose height was guessed right changes the total height without a call of `onChange`.
  useLayoutEffect(() => onChange(virtual))
  usePlace(sessionId, virtual, entries.list, follow)
  useReveal({ virtual, entries: entries.list, stop, follow })
  const unseen = useUnseen(entries.list.length, isAtEnd)
  const jump = () => {
    stop.pass()
    follow(true)
    virtual.scrollToEnd()
  }

  const goHome = () => {
    follow(false)
    virtual.scrollToIndex(0)
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return
    if (event.key === 'End') jump()
    else if (event.key === 'Home') goHome()
    else return
    event.preventDefault()
  }
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        role={entries.list.length > 0 ? 'feed' : 'region'}
        id="feed"
        aria-label={t('feed')}
        tabIndex={0}
        onKeyDown={onKeyDown}
        className="h-full overflow-x-hidden overflow-y-auto overscroll-contain -outline-offset-2 [overflow-anchor:none]"
      >
        {entries.list.length === 0 && (
          <p className="px-4 pt-[28dvh] text-center text-lg font-medium text-muted">{t('start.title')}</p>
        )}
        <div ref={virtual.containerRef} className="relative mx-auto w-full max-w-[760px]">
          {virtual.getVirtualItems().map((item) => {
            const entry = entries.list[item.index]
            return (
              entry && (
                <div
                  key={item.key}
                  ref={virtual.measureElement}
                  data-index={item.index}
                  data-key={entry.key}
                  role="article"
                  tabIndex={-1}
                  aria-posinset={item.index + 1}
                  aria-setsize={entries.list.length}
                  data-rail={railOf(entries.list, item.index)}
                  className="absolute inset-x-0 px-4 -outline-offset-2"
                >
                  <EntryMemo entry={entry} onToggle={entries.toggle} {...{ Question, Table }} />
                </div>
              )
            )
          })}
        </div>
      </div>
      {/* The bar above the composer leads to an open question. */}
      {!isAtEnd && !asked && <JumpToLatest count={unseen} onJump={jump} />}
    </div>
  )
}

const EntryMemo = memo(
  FeedEntry,
  (a, b) => a.onToggle === b.onToggle && a.Question === b.Question && isSame(a.entry, b.entry),
)

function isSame(a: Entry, b: Entry): boolean {
  if (a.kind === 'row') return b.kind === 'row' && a.id === b.id
  if (a.kind === 'table') return b.kind === 'table' && a.key === b.key && a.ids.join() === b.ids.join()
  return (
    b.kind === 'group' &&
    a.key === b.key &&
    a.open === b.open &&
    a.worked === b.worked &&
    a.ids.join() === b.ids.join()
  )
}

function useEntries() {
  const store = useSessionStore()
  const ids = useLive((state) => state.ids)
  const isBusy = useLive((state) => isOpen(state.run))
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const list = useMemo(
    () => entriesOf(ids, store.getState().rows, opened, isBusy),
    [ids, opened, isBusy, store],
  )
  const [toggle] = useState(() => (key: string) => {
    setOpened((before) => {
      const after = new Set(before)
      if (!after.delete(key)) after.add(key)
      return after
    })
  })
  useLayoutEffect(() => setOpened(new Set()), [store])
  return { list, toggle }
}

function useAsked(entries: Entry[]) {
  const key = useLive(({ pending }) => pending && questionRowId(pending.reference))
  const index = key ? entries.findIndex((entry) => entry.key === key) : -1
  return key && index >= 0 ? { key, index } : null
}

/** The answer with which the feed ends, but for its table and what waits behind it. */
function useAnswer(entries: Entry[]) {
  const { rows } = useSessionStore().getState()
  const isBehind = (entry: Entry) => {
    const row = entry.kind === 'row' ? rows[entry.id] : undefined
    return entry.kind === 'table' || (row?.kind === 'user' && row.mode === 'queue')
  }
  const index = entries.findLastIndex((entry) => !isBehind(entry))
  const last = entries[index]
  return last?.kind === 'row' && rows[last.id]?.kind === 'text' ? { key: last.key, index } : null
}

/** Which end of the course line an entry is, if it is one. */
function railOf(list: Entry[], index: number): string | undefined {
  const isOn = (at: number) => list[at]?.kind === 'group' || (list[at]?.kind === 'row' && list[at].rail)
  return [!isOn(index - 1) && 'first', !isOn(index + 1) && 'last'].filter(Boolean).join(' ') || undefined
}

/** Entries that came since the end was last in sight. */
function useUnseen(count: number, isAtEnd: boolean): number {
  const seen = useRef(count)
  if (isAtEnd) seen.current = count
  return Math.max(0, count - seen.current)
}

const KEPT = '[data-key]:is(:focus-within, :has([data-answers], :is(input, textarea, select):enabled))'

/** With rows that stay although they are out of sight: the focus would be lost, or what was written or chosen in them. */
function withKept(range: Range, feed: HTMLElement | null, list: Entry[]): number[] {
  const indexes = new Set(defaultRangeExtractor(range))
  const kept = new Set([...(feed?.querySelectorAll<HTMLElement>(KEPT) ?? [])].map((row) => row.dataset.key))
  if (kept.size > 0) list.forEach(({ key }, index) => kept.has(key) && indexes.add(index))
  return [...indexes].sort((a, b) => a - b)
}

function guess(entry: Entry | undefined): number {
  if (entry?.kind === 'row' && !entry.rail) return 110
  return 52
}
