import { Eye, EyeOff } from 'lucide-react'
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { api } from '@/api/client'
import { ApiError } from '@/api/http'
import { queryClient } from '@/api/queries'
import { useWords } from '@/i18n'
import { useTitle } from '@/lib/title'
import { Appearance } from '@/ui/Appearance'
import { Brand } from '@/ui/Brand'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'
import { IconButton } from '@/ui/IconButton'
import { words } from './loginWords'
import { OtherWays } from './OtherWays'

export function LoginPage() {
  const t = useWords(words)
  const [password, setPassword] = useState('')
  const [isShown, setShown] = useState(false)
  const { signIn, signedIn, query, next, isBusy, error, wait } = useSignIn()
  useTitle('Pilothouse', 'none')
  const form = useRef<HTMLFormElement>(null)
  // What was refused is typed over.
  useEffect(() => {
    if (error) form.current?.querySelector('input')?.select()
  }, [error])

  const submit = (event: FormEvent) => {
    event.preventDefault()
    void signIn(password)
  }
  const message = wait > 0 ? t('login.wait', { n: wait }) : error && t(error)
  return (
    <main className="flex min-h-full flex-col items-center justify-center gap-6 p-4">
      <form
        ref={form}
        onSubmit={submit}
        className="flex w-full max-w-[340px] flex-col gap-5 rounded-xl border border-line p-6"
      >
        <h1>
          <Brand />
        </h1>
        <Field
          label={t('login.password')}
          hint={t('login.hint')}
          error={message}
          type={isShown ? 'text' : 'password'}
          name="password"
          autoComplete="current-password"
          autoFocus
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          trailing={
            <IconButton
              small
              label={isShown ? t('login.hide') : t('login.show')}
              aria-pressed={isShown}
              onClick={() => setShown(!isShown)}
            >
              {isShown ? <EyeOff size={16} aria-hidden /> : <Eye size={16} aria-hidden />}
            </IconButton>
          }
        />
        <Button type="submit" tone="primary" disabled={isBusy || wait > 0} className="h-9">
          {t('login.submit')}
        </Button>
        <OtherWays
          next={next}
          isLeft={query.has('left')}
          problem={query.get('problem')}
          onSignedIn={signedIn}
        />
      </form>
      <Appearance />
    </main>
  )
}

type Failure = 'login.wrong' | 'login.offline'

function useSignIn() {
  const [, go] = useLocation()
  const query = new URLSearchParams(useSearch())
  const asked = query.get('next')
  const next = asked?.startsWith('/') && !asked.startsWith('//') ? asked : '/'
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Failure | null>(null)
  const [wait, setWait] = useState(0)

  useEffect(() => {
    if (wait <= 0) return
    const timer = setTimeout(() => setWait(wait - 1), 1000)
    return () => clearTimeout(timer)
  }, [wait])

  const signedIn = useCallback(() => {
    queryClient.setQueryData(['me'], true)
    go(next, { replace: true })
  }, [go, next])
  const signIn = async (password: string) => {
    setBusy(true)
    setError(null)
    try {
      await api.login(password)
      signedIn()
    } catch (failure) {
      const error = failure as ApiError
      if (error.status === 429) setWait(error.retryAfter ?? 30)
      else setError(error.status === 401 ? 'login.wrong' : 'login.offline')
    } finally {
      setBusy(false)
    }
  }
  return { signIn, signedIn, query, next, isBusy, error, wait }
}
