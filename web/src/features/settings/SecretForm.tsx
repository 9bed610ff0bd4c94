import { useState } from 'react'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'

interface Props {
  label: string
  hint?: string
  submit: string
  isNew?: boolean
  onSubmit: (secret: string) => Promise<boolean>
}

/** One secret and what is done with it. It is forgotten as soon as it was taken. */
export function SecretForm({ label, hint, submit, isNew = false, onSubmit }: Props) {
  const [secret, setSecret] = useState('')
  const [isBusy, setBusy] = useState(false)
  const send = async () => {
    setBusy(true)
    if (await onSubmit(secret)) setSecret('')
    setBusy(false)
  }
  return (
    <form
      autoComplete="off"
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <Field
        required
        type="password"
        minLength={isNew ? 12 : undefined}
        maxLength={2000}
        autoComplete={isNew ? 'new-password' : 'off'}
        label={label}
        hint={hint}
        value={secret}
        onChange={(event) => setSecret(event.target.value)}
      />
      <Button type="submit" className="self-start" disabled={isBusy}>
        {submit}
      </Button>
    </form>
  )
}
