import { useQuery } from '@tanstack/react-query'
import { MonitorSmartphone } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import { ApiError } from '@/api/http'
import { links } from '@/api/links'
import { holdHandoff, liveViewOf, useLiveState } from '@/features/takeover/liveView'
import { useWords, wordbook } from '@/i18n'
import { useTitle } from '@/lib/title'
import { SessionIdProvider } from '@/session/sessionId'
import { SessionStoreProvider, storeOf } from '@/stream/store'
import { Button } from '@/ui/Button'

const Takeover = lazy(() => import('@/features/takeover/Takeover'))

const words = wordbook('handoffPage', {
  'guest.title': 'A browser was handed off to you',
  'guest.about':
    'You will see the page that an assistant works on, and can take it over. The link opens once: on this device, if you go on.',
  'guest.open': 'Open the browser',
  'guest.over': 'This hand-off has ended.',
  'guest.over.about': 'The browser was given back, the time is over, or its owner has ended it.',
})

/** What a token is kept under, so that the page can be reloaded. */
const keyOf = (secret: string) => `pilothouse.handoff.${secret}`

/** One session's browser for the holder of a link. Opening the page does not use the link up: a button does. */
export default function HandoffPage() {
  const t = useWords(words)
  const secret = location.hash.slice(1)
  const [token, setToken] = useState(() => sessionStorage.getItem(keyOf(secret)))
  const [failure, setFailure] = useState<ApiError | null>(null)
  useTitle('Pilothouse', 'none')
  const open = async () => {
    try {
      const opened = await links.openHandoff(secret)
      sessionStorage.setItem(keyOf(secret), opened.token)
      setToken(opened.token)
    } catch (error) {
      setFailure(error as ApiError)
    }
  }
  if (token) return <Held token={token} />
  if (failure?.status === 401) return <Over />
  return (
    <Middle title={t('guest.title')} about={t('guest.about')}>
      <Button tone="primary" onClick={() => void open()}>
        {t('guest.open')}
      </Button>
      {failure && (
        <p role="alert" className="text-sm text-danger">
          {failure.message}
        </p>
      )}
    </Middle>
  )
}

/** Milliseconds between two looks whether it still holds. */
const LOOK = 5000

function Held({ token }: { token: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['link', token],
    queryFn: () => links.handoff(token),
    refetchInterval: LOOK,
    retry: false,
  })
  if (error instanceof ApiError && error.status === 401) return <Over />
  return data ? <Guest sessionId={data.session_id} token={token} onLost={refetch} /> : null
}

interface GuestProps {
  sessionId: string
  token: string
  onLost: () => Promise<unknown>
}

function Guest({ sessionId, token, onLost }: GuestProps) {
  const view = useMemo(() => {
    holdHandoff(sessionId, token)
    return liveViewOf(sessionId)
  }, [sessionId, token])
  const isLost = useLiveState(view, ({ link }) => link === 'lost')
  useEffect(() => {
    if (isLost) void onLost()
  }, [isLost, onLost])
  return (
    <main className="h-full">
      <SessionIdProvider value={sessionId}>
        <SessionStoreProvider value={storeOf(sessionId)}>
          <Suspense>
            <Takeover isGuest />
          </Suspense>
        </SessionStoreProvider>
      </SessionIdProvider>
    </main>
  )
}

function Over() {
  const t = useWords(words)
  return <Middle title={t('guest.over')} about={t('guest.over.about')} />
}

interface MiddleProps {
  title: string
  about: string
  children?: ReactNode
}

function Middle({ title, about, children }: MiddleProps) {
  return (
    <main className="flex h-full flex-col items-center justify-center gap-3 p-6 text-center">
      <MonitorSmartphone size={32} strokeWidth={1.5} aria-hidden className="text-faint" />
      <h1 className="text-lg font-bold">{title}</h1>
      <p className="max-w-96 text-sm text-balance text-muted">{about}</p>
      {children}
    </main>
  )
}
