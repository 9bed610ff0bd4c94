import { useState } from 'react'
import { vaultApi } from '@/api/vault'
import { useWords } from '@/i18n'
import { Button } from '@/ui/Button'
import { Choice } from '@/ui/Choice'
import { Dialog } from '@/ui/Dialog'
import { Field } from '@/ui/Field'
import { saveText } from '@/lib/download'
import { words } from './vaultWords'
import { refreshVault } from './vaultQueries'

/** All logins as a file: under a passphrase, or as plain text after a second question. */
export function LoginExport({ onClose }: { onClose: () => void }) {
  const t = useWords(words)
  const [password, setPassword] = useState('')
  const [passphrase, setPassphrase] = useState('')
  const [form, setForm] = useState('sealed')
  const [asks, setAsks] = useState(false)
  const [failure, setFailure] = useState('')
  const isPlain = form === 'plain'
  const send = async () => {
    setAsks(false)
    try {
      const text = await vaultApi.export(isPlain ? { password, plain: true } : { password, passphrase })
      saveText(isPlain ? 'logins.csv' : 'logins.json', text)
      onClose()
    } catch (error) {
      setFailure((error as Error).message)
    }
    await refreshVault()
  }
  return (
    <Dialog open onClose={onClose} title={t('files.export.title')}>
      <form
        autoComplete="off"
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (isPlain) setAsks(true)
          else void send()
        }}
      >
        <p className="text-sm text-muted">{t('files.export.about')}</p>
        <Field
          required
          type="password"
          autoComplete="off"
          label={t('files.export.password')}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Choice
          label={t('files.form')}
          options={[
            { value: 'sealed', label: t('files.form.sealed') },
            { value: 'plain', label: t('files.form.plain') },
          ]}
          value={form}
          onChange={(value) => {
            setForm(value)
            setAsks(false)
          }}
        />
        {!isPlain && (
          <Field
            required
            type="password"
            minLength={12}
            autoComplete="new-password"
            label={t('vault.passphrase')}
            value={passphrase}
            onChange={(event) => setPassphrase(event.target.value)}
          />
        )}
        {failure && (
          <p role="alert" className="text-sm wrap-anywhere text-danger">
            {failure}
          </p>
        )}
        {asks ? (
          <div role="alert" className="flex flex-col items-start gap-3">
            <p className="text-sm">{t('files.plain.sure')}</p>
            <Button tone="danger" onClick={() => void send()}>
              {t('files.plain.do')}
            </Button>
          </div>
        ) : (
          <Button type="submit" tone="primary" className="self-start">
            {t('files.export.do')}
          </Button>
        )}
      </form>
    </Dialog>
  )
}
