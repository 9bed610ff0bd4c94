import { Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { api } from '@/api/client'
import { refreshLists } from '@/api/queries'
import { useWords } from '@/i18n'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Field } from '@/ui/Field'
import { toast } from '@/ui/Toasts'
import { words } from './settingsWords'

type Scope = 'old' | 'all'
const DAYS = '90'

/** Deleting for good: what is chosen in so many words, and the word for it has to be typed. */
export function Purge() {
  const t = useWords(words)
  const name = useId()
  const [scope, setScope] = useState<Scope>('old')
  const [days, setDays] = useState(DAYS)
  const [isAsking, setAsking] = useState(false)
  return (
    <form
      className="flex flex-col items-start gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        setAsking(true)
      }}
    >
      <fieldset className="flex flex-col gap-2">
        <legend className="sr-only">{t('data.purge.scope')}</legend>
        {(['old', 'all'] as const).map((one) => (
          <label key={one} className="touch flex items-start gap-2 text-sm">
            <input
              type="radio"
              name={name}
              checked={scope === one}
              onChange={() => setScope(one)}
              className="mt-0.5 size-4 accent-accent"
            />
            <span>
              {t(`data.purge.${one}`)}
              <span className="block text-xs text-muted">{t(`data.purge.${one}.note`)}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {scope === 'old' && (
        <Field
          type="number"
          min={1}
          max={10000}
          required
          label={t('data.purge.days')}
          value={days}
          onChange={(event) => setDays(event.target.value)}
          className="w-full max-w-80"
        />
      )}
      <Button type="submit" tone="danger">
        <Trash2 size={15} aria-hidden />
        {t('data.purge.do')}
      </Button>
      {isAsking && <Confirm days={scope === 'all' ? null : Number(days)} onClose={() => setAsking(false)} />}
    </form>
  )
}

function Confirm({ days, onClose }: { days: number | null; onClose: () => void }) {
  const t = useWords(words)
  const [typed, setTyped] = useState('')
  const [isBusy, setBusy] = useState(false)
  const word = t('data.purge.word')
  const isSure = typed.trim().toLowerCase() === word
  const purge = async () => {
    setBusy(true)
    try {
      const { sessions } = await api.purge(days)
      toast(t('data.purged', { n: sessions }))
      refreshLists()
    } catch (error) {
      toast((error as Error).message)
    }
    onClose()
  }
  const title = days === null ? t('data.purge.all.title') : t('data.purge.older.title', { n: days })
  return (
    <Dialog open onClose={onClose} title={title}>
      <div className="flex flex-col gap-4">
        <p className="text-sm text-muted">{t('data.purge.about')}</p>
        <Field
          label={t('data.purge.type', { word })}
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button tone="danger" disabled={!isSure || isBusy} onClick={() => void purge()}>
            {t('delete')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
