import { useState } from 'react'
import { api } from '@/api/client'
import { useWords } from '@/i18n'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'
import { toast } from '@/ui/Toasts'
import { words } from './deviceWords'

export function PasswordForm({ onChanged }: { onChanged: () => void }) {
  const t = useWords(words)
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [failure, setFailure] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const change = async () => {
    setBusy(true)
    setFailure(null)
    try {
      await api.changePassword(current, next)
      setCurrent('')
      setNext('')
      toast(t('password.changed'))
      onChanged()
    } catch (error) {
      setFailure((error as Error).message)
    }
    setBusy(false)
  }
  return (
    <form
      className="flex max-w-80 flex-col items-start gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        void change()
      }}
    >
      <Field
        type="password"
        autoComplete="current-password"
        required
        label={t('password.current')}
        value={current}
        onChange={(event) => setCurrent(event.target.value)}
        className="w-full"
      />
      <Field
        type="password"
        autoComplete="new-password"
        required
        minLength={12}
        maxLength={200}
        label={t('password.new')}
        hint={t('password.new.hint')}
        value={next}
        onChange={(event) => setNext(event.target.value)}
        className="w-full"
      />
      {failure && (
        <p role="alert" className="text-sm wrap-anywhere text-danger">
          {failure}
        </p>
      )}
      <Button type="submit" disabled={isBusy}>
        {t('password.change')}
      </Button>
    </form>
  )
}
