import { useState } from 'react'
import type { StoredLogin } from '@/api/types'
import { vaultApi } from '@/api/vault'
import { useWords } from '@/i18n'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'
import { Switch } from '@/ui/Switch'
import { toast } from '@/ui/Toasts'
import { words } from './vaultWords'
import { refreshVault } from './vaultQueries'

interface Props {
  /** The one that is changed; what stays empty in it stays as it is. */
  login?: StoredLogin
  onClose: () => void
}

const EMPTY = { user: '', password: '', totp: '' }
const SECRETS = ['user', 'password', 'totp'] as const
const LABELS = { user: 'logins.user', password: 'logins.password', totp: 'logins.seed' } as const

export function LoginForm({ login, onClose }: Props) {
  const t = useWords(words)
  const [hosts, setHosts] = useState(login?.hosts.join(' ') ?? '')
  const [title, setTitle] = useState(login?.title ?? '')
  const [secrets, setSecrets] = useState(EMPTY)
  const [exact, setExact] = useState(login?.exact ?? false)
  const [failure, setFailure] = useState('')
  const save = async () => {
    const given = Object.fromEntries(Object.entries(secrets).filter(([, value]) => value !== ''))
    const values = { hosts: hosts.split(/[\s,]+/).filter(Boolean), title, exact, ...given }
    try {
      await (login ? vaultApi.change(login.id, values) : vaultApi.add(values))
      toast(t('logins.saved'))
      onClose()
    } catch (error) {
      setFailure((error as Error).message)
    }
    await refreshVault()
  }
  return (
    <form
      autoComplete="off"
      className="flex flex-col gap-4 rounded-lg border border-line p-4"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Field
        autoFocus
        required
        autoComplete="off"
        spellCheck={false}
        maxLength={2000}
        label={t('logins.hosts')}
        hint={t('logins.hosts.hint')}
        value={hosts}
        onChange={(event) => setHosts(event.target.value)}
      />
      <Field
        maxLength={200}
        autoComplete="off"
        label={t('logins.name')}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
      {SECRETS.map((name) => (
        <Field
          key={name}
          type={name === 'user' ? 'text' : 'password'}
          required={name === 'password' && !login}
          maxLength={1000}
          autoComplete={name === 'user' ? 'off' : 'new-password'}
          spellCheck={false}
          label={t(LABELS[name])}
          hint={name === 'totp' ? t('logins.seed.hint') : undefined}
          placeholder={login && t('logins.unchanged')}
          value={secrets[name]}
          onChange={(event) => setSecrets({ ...secrets, [name]: event.target.value })}
        />
      ))}
      <Switch label={t('logins.exact')} checked={exact} onChange={setExact} />
      {failure && (
        <p role="alert" className="text-sm wrap-anywhere text-danger">
          {failure}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" tone="primary">
          {t('logins.save')}
        </Button>
        <Button tone="quiet" onClick={onClose}>
          {t('cancel')}
        </Button>
      </div>
    </form>
  )
}
