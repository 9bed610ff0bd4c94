import { useId, useState } from 'react'
import { api } from '@/api/client'
import { useWords } from '@/i18n'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'
import { readHeaders } from './headers'
import { words } from './toolServerWords'

interface Props {
  allowsCommands: boolean
  onAdded: (id: string) => void
  onClose: () => void
}

export function NewToolServer({ allowsCommands, onAdded, onClose }: Props) {
  const t = useWords(words)
  const [name, setName] = useState('')
  const [address, setAddress] = useState('')
  const [headers, setHeaders] = useState('')
  const [failure, setFailure] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const isAddress = /^https?:/.test(address.trim())
  const add = async () => {
    const given = readHeaders(isAddress ? headers : '')
    if (!given) return setFailure(t('tools.headers.bad'))
    setBusy(true)
    setFailure(null)
    try {
      onAdded((await api.addToolServer({ name: name.trim(), address: address.trim(), headers: given })).id)
    } catch (error) {
      setFailure((error as Error).message)
      setBusy(false)
    }
  }
  return (
    <form
      className="flex flex-col gap-4 rounded-lg border border-line p-4"
      onSubmit={(event) => {
        event.preventDefault()
        void add()
      }}
    >
      <Field
        autoFocus
        required
        maxLength={32}
        pattern="[A-Za-z][A-Za-z0-9_\-]*"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        label={t('tools.name')}
        hint={t('tools.name.hint')}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Field
        required
        maxLength={4000}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        label={t(allowsCommands ? 'tools.place' : 'tools.address')}
        hint={t(allowsCommands ? 'tools.place.hint' : 'tools.address.hint')}
        value={address}
        onChange={(event) => setAddress(event.target.value)}
      />
      {!allowsCommands && <p className="text-xs text-muted">{t('tools.commands.off')}</p>}
      {isAddress && <HeadersField value={headers} onChange={setHeaders} />}
      {failure && (
        <p role="alert" className="text-sm wrap-anywhere text-danger">
          {failure}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{t('cancel')}</Button>
        <Button tone="primary" type="submit" disabled={isBusy}>
          {t('tools.add')}
        </Button>
      </div>
    </form>
  )
}

function HeadersField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const t = useWords(words)
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {t('tools.headers')}
      </label>
      <textarea
        id={id}
        rows={2}
        spellCheck={false}
        autoCapitalize="off"
        aria-describedby={`${id}-note`}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="w-full resize-y rounded-md border border-strong bg-bg px-3 py-2 font-mono text-xs focus-visible:outline-offset-0"
      />
      <p id={`${id}-note`} className="text-xs text-muted">
        {t('tools.headers.hint')}
      </p>
    </div>
  )
}
