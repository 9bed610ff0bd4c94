import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '@/api/client'
import type { Handoff } from '@/api/types'
import { useWords } from '@/i18n'
import { copyText } from '@/lib/copy'
import { countdown, useNow } from '@/lib/time'
import { Button } from '@/ui/Button'
import { Choice } from '@/ui/Choice'
import { Dialog } from '@/ui/Dialog'
import { Spinner } from '@/ui/Spinner'
import { toast } from '@/ui/Toasts'
import { words } from './handoffWords'
import { QrCode } from './QrCode'

const MINUTES = ['5', '15', '60']
/** Milliseconds between two checks whether it was opened. */
const LOOK = 3000

interface Props {
  sessionId: string
  onClose: () => void
}

/** The browser of a session for another device or person. */
export default function HandoffDialog({ sessionId, onClose }: Props) {
  const t = useWords(words)
  const client = useQueryClient()
  const queryKey = ['handoff', sessionId]
  const { data, isPending, isError } = useQuery({
    queryKey,
    queryFn: () => api.handoff(sessionId),
    refetchInterval: LOOK,
  })
  const [minutes, setMinutes] = useState('15')
  const [link, setLink] = useState<string | null>(null)
  const current = data?.items[0]
  const change = async (then: Promise<string | null>) => {
    try {
      setLink(await then)
    } catch (error) {
      toast((error as Error).message)
    }
    await client.invalidateQueries({ queryKey })
  }
  const make = () => change(api.handOff(sessionId, Number(minutes)).then((made) => made.link))
  const end = () => change(api.endHandoff(sessionId).then(() => null))
  return (
    <Dialog open onClose={onClose} title={t('handoff.title')}>
      <div className="flex flex-col gap-4">
        <p className="text-sm text-muted">{t('handoff.about')}</p>
        {isPending && <Spinner className="text-muted" />}
        {isError && <p className="text-sm text-danger">{t('handoff.failed')}</p>}
        {current && <Current handoff={current} onEnd={() => void end()} />}
        {link && current && !current.opened_at ? (
          <NewLink link={link} />
        ) : (
          <>
            <Choice
              label={t('handoff.minutes')}
              options={MINUTES.map((value) => ({ value, label: t('handoff.minutes.n', { n: value }) }))}
              value={minutes}
              onChange={setMinutes}
            />
            <Button tone="primary" className="self-end" onClick={() => void make()}>
              {t(current ? 'handoff.new' : 'handoff.make')}
            </Button>
          </>
        )}
      </div>
    </Dialog>
  )
}

function Current({ handoff, onEnd }: { handoff: Handoff; onEnd: () => void }) {
  const t = useWords(words)
  const left = (Date.parse(handoff.expires_at) - useNow(1000)) / 1000
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md bg-s2 p-3">
      <div role="status" className="min-w-0 flex-1 text-sm">
        <p>{t(handoff.opened_at ? 'handoff.opened' : 'handoff.waiting')}</p>
        <p className="tabular text-xs text-muted">{t('handoff.left', { time: countdown(left) })}</p>
      </div>
      <Button small onClick={onEnd}>
        {t('handoff.end')}
      </Button>
    </div>
  )
}

function NewLink({ link }: { link: string }) {
  const t = useWords(words)
  const copy = () => void copyText(link).then(() => toast(t('copied')))
  return (
    <div className="flex flex-col gap-3">
      <QrCode text={link} label={t('handoff.qr')} />
      <code
        aria-label={t('handoff.link')}
        className="rounded-md bg-s2 p-3 font-mono text-xs wrap-anywhere select-all"
      >
        {link}
      </code>
      <div className="flex items-center justify-between gap-3">
        <p className="text-xs text-muted">{t('handoff.once')}</p>
        <Button onClick={copy}>{t('copy')}</Button>
      </div>
    </div>
  )
}
