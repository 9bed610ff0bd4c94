import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '@/api/client'
import { useWords } from '@/i18n'
import { copyText } from '@/lib/copy'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Spinner } from '@/ui/Spinner'
import { toast } from '@/ui/Toasts'
import { ChannelItem } from './ChannelItem'
import { words } from './channelWords'
import { NewChannel } from './NewChannel'
import { useOwnDevice } from './push'
import { Section } from './Section'

const QUERY = { queryKey: ['channels'], queryFn: api.channels }

/** The channels that reach the user outside of this page. */
export function ChannelsTab() {
  const t = useWords(words)
  const { data, isPending, isError, refetch } = useQuery(QUERY)
  const device = useOwnDevice()
  const [isAdding, setAdding] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <Section title={t('channels.title')} about={t('channels.about')}>
      {isPending && <Spinner className="text-muted" />}
      {isError && (
        <div role="alert" className="flex flex-col items-start gap-3">
          <p className="text-sm">{t('channels.failed')}</p>
          <Button onClick={() => void refetch()}>{t('retry')}</Button>
        </div>
      )}
      {data?.items.length === 0 && !isAdding && <p className="text-sm text-muted">{t('channels.none')}</p>}
      {data && (
        <ul className="flex flex-col empty:hidden">
          {data.items.map((channel) => (
            <ChannelItem
              key={channel.id}
              channel={channel}
              isHere={channel.device !== null && channel.device === device}
            />
          ))}
        </ul>
      )}
      {isAdding ? (
        <NewChannel onSecret={setSecret} onClose={() => setAdding(false)} />
      ) : (
        <Button className="self-start" onClick={() => setAdding(true)}>
          <Plus size={15} aria-hidden />
          {t('channels.add')}
        </Button>
      )}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </Section>
  )
}

function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const t = useWords(words)
  const copy = () => void copyText(secret).then(() => toast(t('copied')))
  return (
    <Dialog open onClose={onClose} title={t('channels.secret')}>
      <div className="flex flex-col gap-4">
        <p className="text-sm text-muted">{t('channels.secret.about')}</p>
        <code className="rounded-md bg-s2 p-3 font-mono text-sm wrap-anywhere select-all">{secret}</code>
        <div className="flex justify-end gap-2">
          <Button onClick={copy}>{t('copy')}</Button>
          <Button tone="primary" onClick={onClose}>
            {t('close')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
