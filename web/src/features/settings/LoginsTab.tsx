import { Plus } from 'lucide-react'
import { useState } from 'react'
import { ApiError } from '@/api/http'
import type { VaultStatus } from '@/api/types'
import { useWords } from '@/i18n'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'
import { Spinner } from '@/ui/Spinner'
import { LoginFiles } from './LoginFiles'
import { LoginForm } from './LoginForm'
import { LoginItem } from './LoginItem'
import { LoginSources } from './LoginSources'
import { words } from './vaultWords'
import { Section } from './Section'
import { VaultHistory } from './VaultHistory'
import { VaultLock } from './VaultLock'
import { refreshVault, useLogins, useVault } from './vaultQueries'

const MANY = 8

/** The logins that the agent can use without seeing them. */
export function LoginsTab() {
  const t = useWords(words)
  const { data: status, error } = useVault()
  if (status) return <Vault status={status} />
  if (!error) return <Spinner className="text-muted" />
  if (error instanceof ApiError && error.status === 404) return <p className="text-sm">{t('logins.off')}</p>
  return (
    <div role="alert" className="flex flex-col items-start gap-3">
      <p className="text-sm">{t('logins.failed')}</p>
      <Button onClick={() => void refreshVault()}>{t('retry')}</Button>
    </div>
  )
}

function Vault({ status }: { status: VaultStatus }) {
  const t = useWords(words)
  return (
    <>
      <Section title={t('logins.title')} about={t('logins.about')}>
        <VaultLock status={status} />
        <LoginList canAdd={status.state === 'open'} />
      </Section>
      <LoginSources sources={status.sources} />
      {status.state === 'open' && <LoginFiles />}
      <VaultHistory />
    </>
  )
}

function LoginList({ canAdd }: { canAdd: boolean }) {
  const t = useWords(words)
  const { data } = useLogins()
  const [isAdding, setAdding] = useState(false)
  const [query, setQuery] = useState('')
  if (!data) return <Spinner className="text-muted" />
  const wanted = query.trim().toLocaleLowerCase()
  const found = data.items.filter(({ title, site, account }) =>
    `${title} ${site} ${account ?? ''}`.toLocaleLowerCase().includes(wanted),
  )
  return (
    <>
      {data.items.length === 0 && !isAdding && <p className="text-sm text-muted">{t('logins.none')}</p>}
      {data.items.length >= MANY && (
        <Field
          type="search"
          label={t('logins.search')}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      )}
      <ul className="flex flex-col empty:hidden">
        {found.map((login) => (
          <LoginItem key={login.id} login={login} canChange={canAdd} />
        ))}
      </ul>
      {isAdding && <LoginForm onClose={() => setAdding(false)} />}
      {canAdd && !isAdding && (
        <Button className="self-start" onClick={() => setAdding(true)}>
          <Plus size={15} aria-hidden />
          {t('logins.add')}
        </Button>
      )}
    </>
  )
}
