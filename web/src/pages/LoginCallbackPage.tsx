import { useEffect, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { api } from '@/api/client'
import { words } from '@/features/settings/toolServerWords'
import { useWords } from '@/i18n'
import { Spinner } from '@/ui/Spinner'

/** Where the authorization server of a tool server leads back to: it hands over code and state, with this login. */
export default function LoginCallbackPage() {
  const t = useWords(words)
  const [query] = useSearchParams()
  const [, go] = useLocation()
  const [failure, setFailure] = useState<string | null>(null)
  useEffect(() => {
    const [state, code, iss] = ['state', 'code', 'iss'].map((name) => query.get(name))
    const answer = state && code ? { state, code, iss } : null
    const finished = answer ? api.finishLogin(answer) : Promise.reject(new Error(t('tools.callback.denied')))
    finished
      .then(() => go('/settings/tools', { replace: true }))
      .catch((error: Error) => setFailure(error.message))
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- an answer counts once
  }, [])
  return (
    <main className="mx-auto flex max-w-[480px] flex-col items-start gap-4 px-4 py-12 text-sm">
      {failure === null ? (
        <p role="status" className="flex items-center gap-2">
          <Spinner />
          {t('tools.callback')}
        </p>
      ) : (
        <>
          <p role="alert" className="wrap-anywhere">
            {t('tools.callback.failed', { why: failure })}
          </p>
          <Link href="/settings/tools" className="text-accent underline">
            {t('tools.callback.back')}
          </Link>
        </>
      )}
    </main>
  )
}
