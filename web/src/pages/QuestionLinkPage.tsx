import { useQuery } from '@tanstack/react-query'
import { CircleCheck, Link2Off } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { ApiError } from '@/api/http'
import { links } from '@/api/links'
import type { OpenQuestion } from '@/api/types'
import { OtherWayProvider } from '@/features/questions/decide'
import { QuestionCard } from '@/features/questions/QuestionCard'
import { useWords, wordbook } from '@/i18n'
import { useTitle } from '@/lib/title'
import { SessionIdProvider } from '@/session/sessionId'
import { openQuestionRow } from '@/stream/rows'
import { SessionStoreProvider, storeOf } from '@/stream/store'
import { Brand } from '@/ui/Brand'
import { Button } from '@/ui/Button'
import { Spinner } from '@/ui/Spinner'

const words = wordbook('questionLinkPage', {
  'link.about':
    'This link answers this one question. It needs no login, and is not valid any more afterwards.',
  'link.done': 'Your answer was taken.',
  'link.over': 'This link is not valid any more.',
  'link.over.about': 'The question was answered or has expired.',
  'link.failed': 'The question could not be loaded.',
  'link.login': 'Log in',
})

/** The card of one question for the holder of a link: opening it decides nothing, and nothing else can be reached. */
export default function QuestionLinkPage() {
  const t = useWords(words)
  const secret = location.hash.slice(1)
  const [isDone, setDone] = useState(false)
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['link', secret],
    queryFn: () => links.question(secret),
    enabled: !isDone,
    retry: false,
    staleTime: Infinity,
  })
  const isOver = error instanceof ApiError && error.status === 401
  useTitle('Pilothouse', data && !isDone ? 'alert' : 'none')
  return (
    <main className="mx-auto flex min-h-full max-w-[720px] flex-col px-4 pb-8">
      <div className="flex h-12 items-center">
        <Brand />
      </div>
      {isDone ? (
        <Notice
          icon={<CircleCheck size={32} strokeWidth={1.5} aria-hidden className="text-ok" />}
          title={t('link.done')}
        />
      ) : isOver ? (
        <Notice
          icon={<Link2Off size={32} strokeWidth={1.5} aria-hidden className="text-faint" />}
          title={t('link.over')}
        >
          <p className="text-sm text-muted">{t('link.over.about')}</p>
          <Link href="/inbox" className="text-sm text-accent underline">
            {t('link.login')}
          </Link>
        </Notice>
      ) : error ? (
        <div role="alert" className="flex flex-col items-start gap-3">
          <p className="text-sm">{t('link.failed')}</p>
          <Button onClick={() => void refetch()}>{t('retry')}</Button>
        </div>
      ) : isPending ? (
        <Spinner className="text-muted" />
      ) : (
        <Card
          question={data}
          onDecide={(decision) => links.decide(secret, decision).then(() => setDone(true))}
        />
      )}
    </main>
  )
}

interface CardProps {
  question: OpenQuestion
  onDecide: (decision: Parameters<typeof links.decide>[1]) => Promise<unknown>
}

function Card({ question, onDecide }: CardProps) {
  const t = useWords(words)
  const sessionId = question.session_id
  return (
    <>
      <h1 className="text-lg font-medium wrap-anywhere">
        {question.session_title || t('sessions.untitled')}
      </h1>
      <SessionIdProvider value={sessionId}>
        <SessionStoreProvider value={storeOf(sessionId)}>
          <OtherWayProvider value={onDecide}>
            <QuestionCard row={openQuestionRow(question)} />
          </OtherWayProvider>
        </SessionStoreProvider>
      </SessionIdProvider>
      <p className="text-xs text-muted">{t('link.about')}</p>
    </>
  )
}

function Notice({ icon, title, children }: { icon: ReactNode; title: string; children?: ReactNode }) {
  return (
    <div role="status" className="flex flex-col items-center gap-2 py-16 text-center">
      {icon}
      <h1 className="font-medium">{title}</h1>
      {children}
    </div>
  )
}
