import { Lock } from 'lucide-react'
import type { VaultStatus } from '@/api/types'
import { vaultApi } from '@/api/vault'
import { useWords } from '@/i18n'
import { Button } from '@/ui/Button'
import { words } from './vaultWords'
import { SecretForm } from './SecretForm'
import { changeVault } from './vaultQueries'

/** Whether the vault can be read, and the way to unlock it. */
export function VaultLock({ status }: { status: VaultStatus }) {
  const t = useWords(words)
  const { state, reason, has_lock: hasLock } = status
  if (state === 'key_lost') {
    return (
      <p role="alert" className="text-sm wrap-anywhere text-danger">
        {reason}
      </p>
    )
  }
  if (state === 'open') {
    if (!hasLock) return null
    return (
      <Button className="self-start" onClick={() => void changeVault(() => vaultApi.lock('local'))}>
        <Lock size={15} aria-hidden />
        {t('vault.lock')}
      </Button>
    )
  }
  const isNew = state === 'new_passphrase'
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line p-4">
      <h3 className="text-sm font-medium">{t(isNew ? 'vault.new' : 'vault.locked')}</h3>
      <SecretForm
        isNew={isNew}
        label={t('vault.passphrase')}
        hint={t(isNew ? 'vault.new.about' : 'vault.locked.about')}
        submit={t('vault.unlock')}
        onSubmit={(secret) => changeVault(() => vaultApi.unlock('local', secret))}
      />
    </div>
  )
}
