import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '@/api/client'
import type { ReplayLink } from '@/api/types'
import { useLang, useWords } from '@/i18n'
import { copyText } from '@/lib/copy'
import { timeFormat } from '@/lib/time'
import { Button } from '@/ui/Button'
import { Choice } from '@/ui/Choice'
import { Dialog } from '@/ui/Dialog'
import { Spinner } from '@/ui/Spinner'
import { Switch } from '@/ui/Switch'
import { toast } from '@/ui/Toasts'
import { words } from './replayLinkWords'

const DAYS = ['1', '7', '30'] as const

interface Props {
  sessionId: string
  onClose: () => void
}

/** Links that show a session to people without a login. */
export default function ReplayLinksDialog({ sessionId, onClose }: Props) {
  const t = useWords(words)
  const client = useQueryClient()
  const queryKey = ['replays', sessionId]
  const { data, isPending, isError } = useQuery({ queryKey, queryFn: () => api.replayLinks(sessionId) })
  const [days, setDays] = useState<string>('7')
  const [withFiles, setWithFiles] = useState(false)
  const options = {
    onError: (error: Error) => toast(error.message),
    onSettled: () => client.invalidateQueries({ queryKey }),
  }
  const make = useMutation({
    mutationFn: () => api.addReplayLink(sessionId, { days: Number(days), with_files: withFiles }),
    ...options,
  })
  const end = useMutation({ mutationFn: (id: string) => api.endReplayLink(sessionId, id), ...options })
  const isMade = data?.items.some((link) => link.id === make.data?.id)
  return (
    <Dialog open onClose={onClose} title={t('replays.title')}>
      <div className="flex flex-col gap-4">
        <p className="text-sm text-muted">{t('replays.about')}</p>
        {isPending && <Spinner className="text-muted" />}
        {isError && <p className="text-sm text-danger">{t('replays.failed')}</p>}
        {make.data && isMade ? (
          <NewLink link={make.data.link} />
        ) : (
          <>
            <Choice
              label={t('replays.days')}
              options={DAYS.map((n) => ({
                value: n,
                label: t(n === '1' ? 'replays.days.1' : 'replays.days.n', { n }),
              }))}
              value={days}
              onChange={setDays}
            />
            <Switch label={t('replays.files')} checked={withFiles} onChange={setWithFiles} />
            <Button
              tone="primary"
              className="self-end"
              onClick={() => make.mutate()}
              disabled={make.isPending}
            >
              {t('replays.make')}
            </Button>
          </>
        )}
        {data && data.items.length > 0 && (
          <ul aria-label={t('replays.valid')} className="flex flex-col gap-2">
            {data.items.map((link) => (
              <Valid key={link.id} link={link} onEnd={() => end.mutate(link.id)} />
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  )
}

function Valid({ link, onEnd }: { link: ReplayLink; onEnd: () => void }) {
  const t = useWords(words)
  const format = timeFormat(useLang(), { dateStyle: 'medium', timeStyle: 'short' })
  const until = t('replays.until', { time: format.format(new Date(link.expires_at)) })
  return (
    <li className="flex items-center gap-3 rounded-md bg-s2 p-3 text-sm">
      <span className="min-w-0 flex-1">
        {until}
        {link.with_files && <span className="text-muted">, {t('replays.with_files')}</span>}
      </span>
      <Button small onClick={onEnd}>
        {t('replays.end')}
      </Button>
    </li>
  )
}

function NewLink({ link }: { link: string }) {
  const t = useWords(words)
  const copy = () => void copyText(link).then(() => toast(t('copied')))
  return (
    <div className="flex flex-col gap-3">
      <code
        aria-label={t('replays.link')}
        className="rounded-md bg-s2 p-3 font-mono text-xs wrap-anywhere select-all"
      >
        {link}
      </code>
      <div className="flex items-center justify-between gap-3">
        <p className="text-xs text-muted">{t('replays.once')}</p>
        <Button tone="primary" onClick={copy}>
          {t('copy')}
        </Button>
      </div>
    </div>
  )
}
