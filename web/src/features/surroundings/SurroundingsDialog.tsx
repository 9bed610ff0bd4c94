import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '@/api/client'
import { refusedField } from '@/api/http'
import type { Surroundings, SurroundingsChange } from '@/api/types'
import { useWords } from '@/i18n'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Field } from '@/ui/Field'
import { Spinner } from '@/ui/Spinner'
import { toast } from '@/ui/Toasts'
import { ZoneSelect } from '@/ui/ZoneSelect'
import { ProxyFields } from './ProxyFields'
import { changeOf, type Fault, type Filled, filledOf } from './surroundingsForm'
import { words } from './surroundingsWords'

interface Props {
  sessionId: string
  onClose: () => void
}

/** Where the browser of one session seems to be. */
export default function SurroundingsDialog({ sessionId, onClose }: Props) {
  const t = useWords(words)
  const { data, error } = useQuery({
    queryKey: ['surroundings', sessionId],
    queryFn: () => api.surroundings(sessionId),
    gcTime: 0,
  })
  return (
    <Dialog open onClose={onClose} title={t('surroundings.title')}>
      <p className="mb-4 text-sm text-muted">{t('surroundings.about')}</p>
      {!data && !error && <Spinner className="text-muted" />}
      {error && (
        <p role="alert" className="text-sm text-danger">
          {error.message}
        </p>
      )}
      {data && <Form sessionId={sessionId} stored={data} onClose={onClose} />}
    </Dialog>
  )
}

function Form({ sessionId, stored, onClose }: Props & { stored: Surroundings }) {
  const t = useWords(words)
  const [filled, setFilled] = useState(() => filledOf(stored))
  const { save, fault, isBusy } = useSave(sessionId, onClose)
  const set = (values: Partial<Filled>) => setFilled({ ...filled, ...values })
  const change = changeOf(filled, stored)
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void save(change)
      }}
    >
      <ZoneSelect
        label={t('surroundings.zone')}
        error={fault.time_zone}
        usual={t('surroundings.usual')}
        zone={filled.zone}
        onChange={(zone) => set({ zone })}
      />
      <Field
        label={t('surroundings.locale')}
        hint={t('surroundings.locale.note')}
        error={fault.locale}
        maxLength={35}
        spellCheck={false}
        autoCapitalize="off"
        value={filled.locale}
        onChange={(event) => set({ locale: event.target.value })}
      />
      <ProxyFields filled={filled} onChange={set} proxy={stored.proxy} fault={fault} />
      {fault.form && (
        <p role="alert" className="text-sm wrap-anywhere text-danger">
          {fault.form}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" tone="primary" disabled={isBusy || Object.keys(change).length === 0}>
          {t('surroundings.save')}
        </Button>
        <Button tone="quiet" onClick={onClose}>
          {t('cancel')}
        </Button>
      </div>
    </form>
  )
}

const FIELDS = ['time_zone', 'locale', 'proxy.address', 'proxy.user', 'proxy.password']

function useSave(sessionId: string, onSaved: () => void) {
  const t = useWords(words)
  const [fault, setFault] = useState<Fault>({})
  const [isBusy, setBusy] = useState(false)
  const save = async (change: SurroundingsChange) => {
    setFault({})
    setBusy(true)
    try {
      await api.changeSurroundings(sessionId, change)
      toast(t('surroundings.saved'))
      onSaved()
    } catch (error) {
      const { field, detail } = refusedField(error as Error, FIELDS)
      setFault({ [field ?? 'form']: detail })
    }
    setBusy(false)
  }
  return { save, fault, isBusy }
}
