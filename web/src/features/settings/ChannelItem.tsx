import { CircleCheck, CircleX } from 'lucide-react'
import { useState } from 'react'
import { api } from '@/api/client'
import type { Channel, KeyTest } from '@/api/types'
import { useWords } from '@/i18n'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { TimeStamp } from '@/ui/TimeStamp'
import { toast } from '@/ui/Toasts'
import { ChannelForm } from './ChannelForm'
import { words } from './channelWords'
import { unsubscribe } from './push'
import { useRefresh } from './refreshChannels'

interface Props {
  channel: Channel
  /** It is the device on which this page is open. */
  isHere: boolean
}

export function ChannelItem({ channel, isHere }: Props) {
  const t = useWords(words)
  const refresh = useRefresh()
  const [isEditing, setEditing] = useState(false)
  const [result, setResult] = useState<KeyTest | 'sending' | null>(null)
  const name = channel.address
  const test = async () => {
    setResult('sending')
    const answer = await api
      .testChannel(channel.id)
      .catch((error: Error) => ({ ok: false, detail: error.message, abilities: [] }))
    setResult(answer)
    if (channel.kind === 'push' && !answer.ok) await refresh() // it is not there any more, if it takes none
  }
  const remove = async () => {
    try {
      await api.removeChannel(channel.id)
      if (isHere) await unsubscribe()
    } catch (error) {
      toast((error as Error).message)
    }
    await refresh()
  }
  return (
    <li className="flex flex-col gap-2 border-t border-line py-3">
      <Head channel={channel} isHere={isHere} />
      {channel.failing && (
        <p className="flex items-start gap-1.5 text-xs wrap-anywhere text-danger">
          <CircleX size={14} aria-hidden className="mt-0.5 shrink-0" />
          {t('channels.failing', { fault: channel.failing })}
        </p>
      )}
      {isEditing ? (
        <ChannelForm
          channel={channel}
          submit={t('channels.save')}
          onCancel={() => setEditing(false)}
          onSubmit={async (change) => {
            await api.changeChannel(channel.id, change)
            await refresh()
            setEditing(false)
          }}
        />
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button
            small
            aria-label={t('channels.test.of', { channel: name })}
            disabled={result === 'sending'}
            onClick={() => void test()}
          >
            {t('channels.test')}
          </Button>
          <Button
            small
            aria-label={t('channels.edit.of', { channel: name })}
            onClick={() => setEditing(true)}
          >
            {t('edit')}
          </Button>
          <Button
            small
            tone="quiet"
            aria-label={t('channels.remove.of', { channel: name })}
            onClick={() => void remove()}
          >
            {t('delete')}
          </Button>
        </div>
      )}
      <div role="status">
        <TestResult result={result} />
      </div>
    </li>
  )
}

function Head({ channel, isHere }: Props) {
  const t = useWords(words)
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <Badge tone="plain">
        {t(channel.kind === 'push' ? 'channels.device' : `channels.${channel.kind}`)}
      </Badge>
      {isHere && <Badge tone="ok">{t('channels.here')}</Badge>}
      <h3 className="min-w-0 flex-1 text-sm font-medium wrap-anywhere">{channel.address}</h3>
      <span className="text-xs text-muted max-md:w-full">
        {channel.last_delivery ? (
          <>
            {t('channels.last')}: <TimeStamp at={channel.last_delivery} />
          </>
        ) : (
          t('channels.unused')
        )}
      </span>
    </div>
  )
}

function TestResult({ result }: { result: KeyTest | 'sending' | null }) {
  const t = useWords(words)
  if (result === null) return null
  if (result === 'sending') return <p className="text-xs text-muted">{t('channels.testing')}</p>
  const Icon = result.ok ? CircleCheck : CircleX
  return (
    <p className={`flex items-start gap-1.5 text-xs wrap-anywhere ${result.ok ? 'text-ok' : 'text-danger'}`}>
      <Icon size={14} aria-hidden className="mt-0.5 shrink-0" />
      {result.ok ? t('channels.taken') : result.detail}
    </p>
  )
}
