import { ServerOff } from 'lucide-react'
import { lazy, Suspense, useEffect } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { ApiError, whenSignedOut } from '@/api/http'
import { queryClient, readAhead, useMe } from '@/api/queries'
import { AppShell } from '@/AppShell'
import { LoginPage } from '@/features/auth/LoginPage'
import { useT } from '@/i18n'
import { loadAhead } from '@/lib/loadAhead'
import { StartPage } from '@/pages/StartPage'
import { openAhead } from '@/stream/connect'
import { Button } from '@/ui/Button'
import { openPage } from '@/lib/base'

const AutomationsPage = lazy(() => import('@/pages/AutomationsPage'))
const KnowledgePage = lazy(() => import('@/pages/KnowledgePage'))
const GrantsPage = lazy(() => import('@/pages/GrantsPage'))
const InboxPage = lazy(() => import('@/pages/InboxPage'))
const ReplayLinkPage = lazy(() => import('@/pages/ReplayLinkPage'))
const HandoffPage = lazy(() => import('@/pages/HandoffPage'))
const QuestionLinkPage = lazy(() => import('@/pages/QuestionLinkPage'))
const LoginCallbackPage = lazy(() => import('@/pages/LoginCallbackPage'))
const SettingsPage = lazy(() => import('@/features/settings/SettingsPage'))
const loadChat = () => import('@/pages/ChatPage')
const ChatPage = lazy(loadChat)

// Where a session is the page asked for, its page, its rows and its events come while the login is checked.
const asked = /^\/s\/([^/]+)/.exec(openPage())?.[1]
if (asked) {
  loadAhead(loadChat)
  readAhead(decodeURIComponent(asked))
  openAhead(decodeURIComponent(asked))
}
const IDLE = 150

export function Routes() {
  return (
    <Switch>
      <Route path="/login" component={LoginPage} />
      <Route path="/q">
        <Suspense>
          <QuestionLinkPage />
        </Suspense>
      </Route>
      <Route path="/r">
        <Suspense>
          <ReplayLinkPage />
        </Suspense>
      </Route>
      <Route path="/h">
        <Suspense>
          <HandoffPage />
        </Suspense>
      </Route>
      <Route>
        <Gate />
      </Route>
    </Switch>
  )
}

/** Everything behind the login. */
function Gate() {
  const me = useMe()
  const [path, go] = useLocation()
  const isIn = me.isSuccess
  useEffect(() => {
    const timer = isIn && setTimeout(() => loadAhead(loadChat), IDLE)
    return () => void (timer && clearTimeout(timer))
  }, [isIn])
  useEffect(() => {
    whenSignedOut(() => {
      queryClient.clear()
      go(`/login?next=${encodeURIComponent(openPage())}`)
    })
  }, [go])
  if (me.isPending) return null
  if (me.error) {
    const isSignedOut = me.error instanceof ApiError && me.error.status === 401
    if (isSignedOut) return <Redirect to={`/login?next=${encodeURIComponent(path)}`} replace />
    return <Unreachable onRetry={() => void me.refetch()} />
  }
  return (
    <AppShell>
      <Suspense>
        <Switch>
          <Route path="/" component={StartPage} />
          <Route path="/s/:id/:view?">
            {({ id, view }) => <ChatPage id={id} isReplay={view === 'replay'} />}
          </Route>
          <Route path="/inbox" component={InboxPage} />
          <Route path="/knowledge" component={KnowledgePage} />
          <Route path="/grants" component={GrantsPage} />
          <Route path="/automations" component={AutomationsPage} />
          <Route path="/oauth/callback" component={LoginCallbackPage} />
          <Route path="/settings/:tab?">{({ tab }) => <SettingsPage tab={tab} />}</Route>
          <Route>
            <Redirect to="/" replace />
          </Route>
        </Switch>
      </Suspense>
    </AppShell>
  )
}

function Unreachable({ onRetry }: { onRetry: () => void }) {
  const t = useT()
  return (
    <main role="alert" className="flex h-full flex-col items-center justify-center gap-3 p-6 text-center">
      <ServerOff size={32} strokeWidth={1.5} aria-hidden className="text-faint" />
      <h1 className="text-lg font-bold">{t('server.away')}</h1>
      <p className="text-sm text-muted">{t('server.away.hint')}</p>
      <Button onClick={onRetry}>{t('retry')}</Button>
    </main>
  )
}
