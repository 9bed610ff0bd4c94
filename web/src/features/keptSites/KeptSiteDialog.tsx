import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '@/api/client'
import { useWords } from '@/i18n'
import { KeptSiteList } from '@/session/keptSites/KeptSiteList'
import { words } from '@/session/keptSites/keptSiteWords'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Field } from '@/ui/Field'
import { toast } from '@/ui/Toasts'

interface Props {
  sessionId: string
  onClose: () => void
}

/** Keeps the login of the site that is open in the session's browser. */
export default function KeptSiteDialog({ sessionId, onClose }: Props) {
  const t = useWords(words)
  const client = useQueryClient()
  const [days, setDays] = useState('30')
  const [failure, setFailure] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const keep = async () => {
    setBusy(true)
    setFailure(null)
    try {
      const { site } = await api.keepSite(sessionId, Number(days))
      toast(t('kept.done', { site }))
      await client.invalidateQueries({ queryKey: ['kept-sites'] })
    } catch (error) {
      setFailure((error as Error).message)
    }
    setBusy(false)
  }
  return (
    <Dialog open onClose={onClose} title={t('kept.title')}>
      <form
        className="mb-6 flex flex-col items-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          void keep()
        }}
      >
        <p className="text-sm text-muted">{t('kept.keep.about')}</p>
        <Field
          type="number"
          min={1}
          max={365}
          required
          label={t('kept.days')}
          value={days}
          onChange={(event) => setDays(event.target.value)}
          className="w-full max-w-40"
        />
        {failure && (
          <p role="alert" className="text-sm wrap-anywhere text-danger">
            {failure}
          </p>
        )}
        <Button type="submit" tone="primary" disabled={isBusy}>
          {t('kept.keep')}
        </Button>
      </form>
      <KeptSiteList />
    </Dialog>
  )
}
