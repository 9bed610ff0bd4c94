import { useState } from 'react'
import type { VaultSource } from '@/api/types'
import { vaultApi } from '@/api/vault'
import { useWords } from '@/i18n'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { words } from './vaultWords'
import { SecretForm } from './SecretForm'
import { Section } from './Section'
import { changeVault } from './vaultQueries'

/** Programs that keep logins of their own. */
export function LoginSources({ sources }: { sources: VaultSource[] }) {
  const t = useWords(words)
  return (
    <Section title={t('sources.title')} about={t('sources.about')}>
      <ul className="flex flex-col">
        {sources.map((source) => (
          <SourceItem key={source.name} source={source} />
        ))}
      </ul>
    </Section>
  )
}

function SourceItem({ source }: { source: VaultSource }) {
  const t = useWords(words)
  const [asks, setAsks] = useState(false)
  const { name: program, installed, unlocked } = source
  const name = t(`sources.${program}`)
  const unlock = async (secret: string) => {
    const isDone = await changeVault(() => vaultApi.unlock(program, secret))
    if (isDone) setAsks(false)
    return isDone
  }
  return (
    <li className="flex flex-col gap-3 border-t border-line py-3">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="text-sm font-medium">{name}</h3>
        {installed && (
          <Badge tone={unlocked ? 'ok' : 'plain'}>
            {t(unlocked ? 'sources.unlocked' : 'sources.locked')}
          </Badge>
        )}
        <span className="flex-1" />
        {unlocked && (
          <Button
            small
            aria-label={t('sources.lock', { name })}
            onClick={() => void changeVault(() => vaultApi.lock(program))}
          >
            {t('vault.lock')}
          </Button>
        )}
        {installed && !unlocked && !asks && (
          <Button small aria-label={t('sources.unlock', { name })} onClick={() => setAsks(true)}>
            {t('vault.unlock')}
          </Button>
        )}
      </div>
      {!installed && <p className="text-sm text-muted">{t('sources.absent', { program })}</p>}
      {asks && !unlocked && (
        <SecretForm label={t(`sources.${program}.secret`)} submit={t('vault.unlock')} onSubmit={unlock} />
      )}
    </li>
  )
}
