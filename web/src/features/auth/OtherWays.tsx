import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { api } from '@/api/client'
import { useWords } from '@/i18n'
import { BASE } from '@/lib/base'
import { Button } from '@/ui/Button'
import { words } from './loginWords'

const PROBLEMS = ['failed', 'refused', 'other_attempt', 'not_you', 'too_many'] as const

interface Props {
  /** The path of the page for afterwards. */
  next: string
  /** Whether the person has just signed out, or what the provider answered. */
  isLeft: boolean
  problem: string | null
  onSignedIn: () => void
}

/** A login that a proxy has made already, and one at a provider. The first needs no press, but after a sign-out. */
export function OtherWays({ next, isLeft, problem, onSignedIn }: Props) {
  const t = useWords(words)
  const { data: ways } = useQuery({ queryKey: ['ways'], queryFn: api.waysToLogIn, retry: false })
  const [failure, setFailure] = useState<string | null>(null)
  const user = ways?.proxy_user
  const enter = useCallback(
    () => api.loginByProxy().then(onSignedIn, (error: Error) => setFailure(error.message)),
    [onSignedIn],
  )
  useEffect(() => {
    if (user && !isLeft) void enter()
  }, [user, isLeft, enter])
  const known = PROBLEMS.find((one) => one === problem)
  const shown = failure ?? (known && t(`login.problem.${known}`))
  return (
    <>
      {shown && (
        <p role="alert" className="text-sm wrap-anywhere text-danger">
          {shown}
        </p>
      )}
      {user && <Button onClick={() => void enter()}>{t('login.proxy', { name: user })}</Button>}
      {ways?.oidc && (
        <Button onClick={() => location.assign(`${BASE}/api/auth/oidc?${new URLSearchParams({ next })}`)}>
          {t('login.oidc', { host: ways.oidc })}
        </Button>
      )}
    </>
  )
}
