import { Inbox } from 'lucide-react'
import { useEffect, useId, useRef } from 'react'
import { Link } from 'wouter'
import { useDecidedToday, useQuestions } from '@/api/queries'
import type { OpenQuestion } from '@/api/types'
import { ProposedNotes } from '@/features/knowledge/ProposedNotes'
import { CardPlaceProvider } from '@/features/questions/decide'
import { PastQuestion } from '@/features/questions/PastQuestion'
import { QuestionCard } from '@/features/questions/QuestionCard'
import { useWords, wordbook } from '@/i18n'
import { useTitle } from '@/lib/title'
import { SessionIdProvider } from '@/session/sessionId'
import { closedQuestionRow } from '@/stream/closed'
import { openQuestionRow } from '@/stream/rows'
import { SessionStoreProvider, storeOf } from '@/stream/store'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { SidebarButton } from '@/ui/SidebarButton'
import { Spinner } from '@/ui/Spinner'
import { TimeStamp } from '@/ui/TimeStamp'

const words = wordbook('inboxPage', {
  'inbox.none': 'Nothing waits for you.',
  'inbox.none.about': 'When a session needs your approval or your help, it is listed here.',
  'inbox.failed': 'The questions could not be loaded.',
  'inbox.today': 'Decided today',
})

/** The questions of all sessions, the next to expire first, each to be decided here. */
export default function InboxPage() {
  const t = useWords(words)
  const { data, isPending, isError, refetch, hasNextPage, fetchNextPage } = useQuestions()
  const questions = data?.pages.flatMap((page) => page.items) ?? []
  const count = data?.pages[0]?.total ?? 0
  const heading = useFocusAfterAnswer(questions.length)
  useTitle(`${t('inbox')} – Pilothouse`, count ? 'alert' : 'none')
  return (
    <div className="flex h-full flex-col">
      <header className="flex h-12 shrink-0 items-center gap-2 px-2 md:px-4">
        <SidebarButton />
        <h1 ref={heading} tabIndex={-1} className="font-medium outline-none">
          {t('inbox')}
        </h1>
        <span role="status">{count > 0 && <Badge tone="warn">{count}</Badge>}</span>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex max-w-[720px] flex-col px-4 pb-8">
          {isPending && <Spinner className="text-muted" />}
          {isError && (
            <div role="alert" className="flex flex-col items-start gap-3">
              <p className="text-sm">{t('inbox.failed')}</p>
              <Button onClick={() => void refetch()}>{t('retry')}</Button>
            </div>
          )}
          <ProposedNotes className="mb-4" />
          {data && count === 0 && <Empty />}
          {questions.length > 0 && (
            <div id="feed" role="feed" aria-label={t('inbox')} className="flex flex-col gap-4">
              {questions.map((question, index) => (
                <Item
                  key={question.reference}
                  question={question}
                  index={index}
                  place={placeOf(questions, index)}
                />
              ))}
            </div>
          )}
          {hasNextPage && (
            <Button tone="quiet" className="mt-4 self-center" onClick={() => void fetchNextPage()}>
              {t('more')}
            </Button>
          )}
          <Today />
        </div>
      </div>
    </div>
  )
}

/** The questions above it and its own: when one of them goes, the card moves. */
const placeOf = (questions: OpenQuestion[], index: number) =>
  questions
    .slice(0, index + 1)
    .map(({ reference }) => reference)
    .join(' ')

interface ItemProps {
  question: OpenQuestion
  index: number
  place: string
}

function Item({ question, index, place }: ItemProps) {
  const t = useWords(words)
  const id = useId()
  const sessionId = question.session_id
  return (
    <div role="article" aria-labelledby={id} tabIndex={0} data-index={index} className="rounded-lg">
      <div className="flex items-baseline gap-3">
        <h2 id={id} className="min-w-0 flex-1 truncate text-sm font-medium">
          <Link href={`/s/${encodeURIComponent(sessionId)}`} className="rounded-sm hover:underline">
            {question.session_title || t('sessions.untitled')}
          </Link>
        </h2>
        <TimeStamp at={question.created_at} className="shrink-0 text-xs text-muted" />
      </div>
      <SessionIdProvider value={sessionId}>
        <SessionStoreProvider value={storeOf(sessionId)}>
          <CardPlaceProvider value={place}>
            <QuestionCard row={openQuestionRow(question)} />
          </CardPlaceProvider>
        </SessionStoreProvider>
      </SessionIdProvider>
    </div>
  )
}

/** What was decided today, each with the way to its session. */
function Today() {
  const t = useWords(words)
  const decided = useDecidedToday()
  const id = useId()
  if (decided.length === 0) return null
  return (
    <section aria-labelledby={id} className="mt-8 border-t border-line pt-4">
      <h2 id={id} className="text-sm font-medium text-muted">
        {t('inbox.today')}
      </h2>
      <ul>
        {decided.map((question) => (
          <li key={question.reference} className="flex flex-wrap items-start gap-x-3 py-1">
            <div className="min-w-0 flex-1 basis-64">
              <PastQuestion row={closedQuestionRow(question)} />
            </div>
            <Link
              href={`/s/${question.session_id}`}
              className="touch max-w-[40%] truncate pt-1.5 text-xs text-muted hover:underline"
            >
              {question.session_title || t('sessions.untitled')}
            </Link>
            <TimeStamp at={question.decided_at} className="shrink-0 pt-1.5 text-xs text-muted" />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Empty() {
  const t = useWords(words)
  return (
    <div className="flex flex-col items-center gap-2 py-16 text-center">
      <Inbox size={32} strokeWidth={1.5} aria-hidden className="text-faint" />
      <p className="font-medium">{t('inbox.none')}</p>
      <p className="max-w-80 text-sm text-muted">{t('inbox.none.about')}</p>
    </div>
  )
}

/** The heading takes the focus that went with an answered card. */
function useFocusAfterAnswer(count: number) {
  const heading = useRef<HTMLHeadingElement>(null)
  const last = useRef(0)
  useEffect(() => {
    if (count < last.current && document.activeElement === document.body)
      heading.current?.focus({ preventScroll: true })
    last.current = count
  }, [count])
  return heading
}
