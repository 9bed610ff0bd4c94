import { useEffect, useState } from 'react'
import type { ImportedLogins } from '@/api/types'
import { vaultApi } from '@/api/vault'
import { useWords } from '@/i18n'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Spinner } from '@/ui/Spinner'
import { Switch } from '@/ui/Switch'
import { toast } from '@/ui/Toasts'
import { words } from './vaultWords'
import { SecretForm } from './SecretForm'
import { changeVault } from './vaultQueries'

interface Props {
  text: string
  onClose: () => void
}

/** What a file has, before anything of it is kept. The file is in this page's memory only. */
export function LoginImport({ text, onClose }: Props) {
  const t = useWords(words)
  const isOwn = text.trimStart().startsWith('{')
  const [passphrase, setPassphrase] = useState('')
  const [found, setFound] = useState<ImportedLogins | null>(null)
  const [failure, setFailure] = useState('')
  const read = async (given: string) => {
    setFailure('')
    try {
      setFound(await vaultApi.read({ text, passphrase: given }))
      setPassphrase(given)
      return true
    } catch (error) {
      setFailure((error as Error).message)
      return false
    }
  }
  useEffect(() => {
    if (!isOwn) void read('')
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [text])
  return (
    <Dialog open onClose={onClose} title={t('files.import.do')}>
      <div className="flex flex-col gap-4">
        {failure && (
          <p role="alert" className="text-sm wrap-anywhere text-danger">
            {failure}
          </p>
        )}
        {!found && isOwn && (
          <SecretForm
            label={t('vault.passphrase')}
            hint={t('files.own')}
            submit={t('files.read')}
            onSubmit={read}
          />
        )}
        {!found && !isOwn && !failure && <Spinner className="text-muted" />}
        {found && <Preview found={found} file={{ text, passphrase }} onClose={onClose} />}
      </div>
    </Dialog>
  )
}

interface PreviewProps {
  found: ImportedLogins
  file: { text: string; passphrase: string }
  onClose: () => void
}

function Preview({ found, file, onClose }: PreviewProps) {
  const t = useWords(words)
  const [replace, setReplace] = useState(false)
  const count = (state: string) => found.items.filter((item) => item.state === state).length
  const kept = count('new') + (replace ? count('changed') : 0)
  const keep = async () => {
    const isDone = await changeVault(async () => {
      const { kept: n } = await vaultApi.read({ ...file, keep: true, replace })
      toast(t('files.kept', { n }))
    })
    if (isDone) onClose()
  }
  return (
    <>
      <p className="text-sm text-muted">{t('files.from', { kind: found.kind })}</p>
      <ul className="max-h-80 overflow-y-auto">
        {found.items.map((item) => (
          <li
            key={item.row}
            className="flex flex-wrap items-center gap-x-2 border-t border-line py-1.5 text-sm"
          >
            <span className="tabular text-xs text-muted">{t('files.row', { n: item.row })}</span>
            <span className="min-w-0 font-medium wrap-anywhere">{item.host || item.title}</span>
            <span className="min-w-0 wrap-anywhere text-muted">{item.account}</span>
            <Badge tone={item.state === 'new' ? 'ok' : 'plain'}>{t(`files.state.${item.state}`)}</Badge>
          </li>
        ))}
      </ul>
      {count('changed') > 0 && <Switch label={t('files.replace')} checked={replace} onChange={setReplace} />}
      <div className="flex flex-wrap gap-2">
        <Button tone="primary" disabled={kept === 0} onClick={() => void keep()}>
          {t('files.import.do')}
        </Button>
        <Button tone="quiet" onClick={onClose}>
          {t('cancel')}
        </Button>
      </div>
    </>
  )
}
