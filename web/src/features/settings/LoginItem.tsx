import { Pencil, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import type { StoredLogin } from '@/api/types'
import { vaultApi } from '@/api/vault'
import { useWords } from '@/i18n'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { IconButton } from '@/ui/IconButton'
import { TimeStamp } from '@/ui/TimeStamp'
import { LoginForm } from './LoginForm'
import { words } from './vaultWords'
import { changeVault } from './vaultQueries'

interface Props {
  login: StoredLogin
  canChange: boolean
}

/** A login: where it fits, who uses it without a question, when it was used. */
export function LoginItem({ login, canChange }: Props) {
  const t = useWords(words)
  const [isEdited, setEdited] = useState(false)
  const [asks, setAsks] = useState(false)
  const { id, title } = login
  if (isEdited) {
    return (
      <li className="border-t border-line py-3">
        <LoginForm login={login} onClose={() => setEdited(false)} />
      </li>
    )
  }
  return (
    <li className="flex items-start gap-2 border-t border-line py-3" data-login={id}>
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <Head login={login} />
        <p className="text-xs wrap-anywhere text-muted">{login.hosts.join(' ')}</p>
        <p className="tabular text-xs text-muted">
          {t('logins.uses', { n: login.uses })}
          {login.last_used_at && (
            <>
              , {t('logins.last')} <TimeStamp at={login.last_used_at} />
            </>
          )}
        </p>
        <Grants login={login} />
      </div>
      {canChange && login.source === 'local' && (
        <IconButton small label={t('logins.edit', { title })} onClick={() => setEdited(true)}>
          <Pencil size={15} aria-hidden />
        </IconButton>
      )}
      <IconButton small label={t('logins.remove', { title })} onClick={() => setAsks(true)}>
        <Trash2 size={15} aria-hidden />
      </IconButton>
      {asks && (
        <Dialog open onClose={() => setAsks(false)} title={t('logins.remove', { title })}>
          <p className="mb-4 text-sm">{t('logins.remove.sure')}</p>
          <Button tone="danger" onClick={() => void changeVault(() => vaultApi.remove(id))}>
            {t('delete')}
          </Button>
        </Dialog>
      )}
    </li>
  )
}

function Head({ login }: { login: StoredLogin }) {
  const t = useWords(words)
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <h3 dir="auto" className="min-w-0 text-sm font-medium wrap-anywhere">
        {login.title}
      </h3>
      {login.account && <span className="min-w-0 text-sm wrap-anywhere text-muted">{login.account}</span>}
      {login.source !== 'local' && <Badge tone="plain">{t(`sources.${login.source}`)}</Badge>}
      {login.has_code && <Badge tone="plain">{t('logins.code')}</Badge>}
    </div>
  )
}

function Grants({ login }: { login: StoredLogin }) {
  const t = useWords(words)
  const { sessions, automations } = login.grant
  const named = [
    ...sessions.map((one) => ({ ...one, kind: 'sessions' as const })),
    ...automations.map((one) => ({ ...one, kind: 'automations' as const })),
  ]
  if (named.length === 0) return <p className="text-xs text-muted">{t('logins.asks')}</p>
  const revoke = (kind: 'sessions' | 'automations', id: string) => {
    const left = login.grant[kind].filter((one) => one.id !== id).map((one) => one.id)
    return changeVault(() => vaultApi.change(login.id, { grant: { [kind]: left } }))
  }
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs">
      <span className="text-muted">{t('logins.allowed')}</span>
      {named.map(({ id, name, kind }) => (
        <Button
          key={id}
          small
          className="max-w-full"
          aria-label={t('logins.revoke', { name })}
          onClick={() => void revoke(kind, id)}
        >
          <span className="truncate">{name}</span>
          <X size={13} aria-hidden className="shrink-0" />
        </Button>
      ))}
    </div>
  )
}
