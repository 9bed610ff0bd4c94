import { SearchX, TriangleAlert } from 'lucide-react'
import { lazy, Suspense, useEffect } from 'react'
import { useLocation } from 'wouter'
import { api } from '@/api/client'
import { ApiError } from '@/api/http'
import { patchCached, useSession } from '@/api/queries'
import type { Session } from '@/api/types'
import { Announcer } from '@/features/chat/Announcer'
import { ChatTools } from '@/features/chat/ChatTools'
import { QuestionCard } from '@/features/questions/QuestionCard'
import { ProposedNotes } from '@/features/knowledge/ProposedNotes'
import { Feed } from '@/features/chat/Feed'
import { useT } from '@/i18n'
import { useIsTakeover } from '@/lib/addresses'
import { useIsVisible } from '@/lib/media'
import { useTitle } from '@/lib/title'
import { PointHost } from '@/session/pointing/PointHost'
import { SessionIdProvider } from '@/session/sessionId'
import { dropAhead, watch } from '@/stream/connect'
import { isOpen } from '@/stream/live'
import { SessionStoreProvider, storeOf, useLive } from '@/stream/store'
import { Button } from '@/ui/Button'
import { Spinner } from '@/ui/Spinner'
import { ChatComposer } from './ChatComposer'
import { ChatFrame } from './ChatFrame'
import { ChatHeader } from './ChatHeader'

const ScreenshotViewer = lazy(() => import('@/features/screenshots/ScreenshotViewer'))
const ResultTable = lazy(() => import('@/features/results/ResultTable'))
const Takeover = lazy(() => import('@/features/takeover/Takeover'))

interface Props {
  id: string
  /** The viewer of steps is open over the chat. */
  isReplay: boolean
}

export default function ChatPage({ id, isReplay }: Props) {
  return (
    <SessionIdProvider value={id}>
      <SessionStoreProvider value={storeOf(id)}>
        <Chat key={id} id={id} isReplay={isReplay} />
      </SessionStoreProvider>
    </SessionIdProvider>
  )
}

function Chat({ id, isReplay }: Props) {
  const { data: session, error, refetch } = useSession(id)
  const isLoaded = useLive((state) => state.loaded)
  useFollow(id, session !== undefined, error !== null)
  useReadMark(id, session)
  useSignedTitle(session?.title)

  if (useIsTakeover()) {
    return (
      <Suspense>
        <Takeover />
      </Suspense>
    )
  }
  return (
    <ChatFrame composer={(session || isLoaded) && <ChatComposer session={session ?? emptySession(id)} />}>
      <ChatHeader session={session} />
      {error && !session && !isLoaded ? (
        <LoadFailure error={error} onRetry={() => void refetch()} />
      ) : isLoaded ? (
        <Feed sessionId={id} Question={QuestionCard} Table={TablePart} />
      ) : (
        <div className="flex flex-1 items-center justify-center text-muted">
          <Spinner />
        </div>
      )}
      <ProposedNotes sessionId={id} className="mx-auto mb-2 w-[calc(100%-2rem)] max-w-[720px] shrink-0" />
      <Announcer />
      <ChatTools sessionId={id} />
      <PointHost sessionId={id} />
      {isReplay && isLoaded && (
        <Suspense>
          <ScreenshotViewer />
        </Suspense>
      )}
    </ChatFrame>
  )
}

function TablePart({ ids }: { ids: string[] }) {
  return (
    <Suspense>
      <ResultTable ids={ids} />
    </Suspense>
  )
}

/** Follows the stream as soon as the session exists on the server. */
function useFollow(id: string, exists: boolean, isMissing: boolean): void {
  useEffect(() => (exists ? watch(id) : undefined), [id, exists])
  useEffect(() => (isMissing ? dropAhead(id) : undefined), [id, isMissing])
}

/** Who looks at a session has read it. */
function useReadMark(id: string, session: Session | undefined): void {
  const isVisible = useIsVisible()
  const { unread, updated_at } = session ?? {}
  useEffect(() => {
    if (!unread || !isVisible) return
    patchCached(id, (session) => ({ ...session, unread: false }))
    void api.markRead(id).catch(() => undefined)
  }, [id, unread, updated_at, isVisible])
}

function useSignedTitle(title: string | undefined): void {
  const t = useT()
  const isAsked = useLive((state) => state.pending !== null)
  const isBusy = useLive((state) => isOpen(state.run))
  const name = title || 'Pilothouse'
  useTitle(isAsked ? `${t('question.tab')} – ${name}` : name, isAsked ? 'alert' : isBusy ? 'busy' : 'none')
}

function LoadFailure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const t = useT()
  const [, go] = useLocation()
  const isGone = error instanceof ApiError && error.status === 404
  const Icon = isGone ? SearchX : TriangleAlert
  return (
    <div role="alert" className="flex flex-1 flex-col items-center justify-center gap-3 p-6 text-center">
      <Icon size={32} strokeWidth={1.5} aria-hidden className="text-faint" />
      <p className="font-medium">{isGone ? t('session.gone') : t('session.failed')}</p>
      {!isGone && <p className="text-sm text-muted">{error.message}</p>}
      <Button onClick={isGone ? () => go('/') : onRetry}>{isGone ? t('sessions.new') : t('retry')}</Button>
    </div>
  )
}

/** What the page shows of a session until the server has answered its creation. */
function emptySession(id: string) {
  const now = new Date().toISOString()
  return {
    id,
    title: '',
    pinned: false,
    agent: '',
    model: '',
    max_tool_steps: 0,
    status: 'queued' as const,
    created_at: now,
    updated_at: now,
    archived_at: null,
    icon: null,
    automation_id: null,
    ask_first: false,
    unread: false,
    usage: { input_tokens: 0, output_tokens: 0, cached_tokens: 0, model_calls: 0 },
  }
}
