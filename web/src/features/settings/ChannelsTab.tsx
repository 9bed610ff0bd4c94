import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CircleX, Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '@/api/client'
import type { Channel, KeyTest } from '@/api/types'
import { useWords } from '@/i18n'
import { copyText } from '@/lib/copy'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { Choice } from '@/ui/Choice'
import { Dialog } from '@/ui/Dialog'
import { Field } from '@/ui/Field'
import { Spinner } from '@/ui/Spinner'
import { TimeStamp } from '@/ui/TimeStamp'
import { toast } from '@/ui/Toasts'
import { ChannelForm } from './ChannelForm'
import { words } from './channelWords'
import { Section } from './Section'

const QUERY = { queryKey: ['channels'], queryFn: api.channels }

function useRefresh(): () => Promise<unknown> {
  const client = useQueryClient()
  return () =>
    // The configuration says whether a channel wants to know if this page is visible.
    Promise.all(['channels', 'config'].map((name) => client.invalidateQueries({ queryKey: [name] })))
}

/** Where the person is told what happens here while they are elsewhere. */
export function ChannelsTab() {
  const t = useWords(words)
  const { data, isPending, isError, refetch } = useQuery(QUERY)
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
            <ChannelItem key={channel.id} channel={channel} />
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

interface NewProps {
  onSecret: (secret: string | null) => void
  onClose: () => void
}

function NewChannel({ onSecret, onClose }: NewProps) {
  const t = useWords(words)
  const refresh = useRefresh()
  const [kind, setKind] = useState<Channel['kind']>('webhook')
  const [address, setAddress] = useState('')
  return (
    <div className="rounded-lg border border-line p-4">
      <ChannelForm
        submit={t('channels.add')}
        onCancel={onClose}
        onSubmit={async (change) => {
          const { secret } = await api.addChannel({ ...change, kind, address: address.trim() })
          await refresh()
          onSecret(secret)
          onClose()
        }}
      >
        <Choice
          label={t('channels.kind')}
          options={(['webhook', 'apprise'] as const).map((value) => ({
            value,
            label: t(`channels.${value}`),
          }))}
          value={kind}
          onChange={(value) => setKind(value as Channel['kind'])}
        />
        <Field
          autoFocus
          required
          minLength={8}
          maxLength={2000}
          autoComplete="off"
          spellCheck={false}
          label={t('channels.address')}
          hint={t(`channels.${kind}.hint`)}
          value={address}
          onChange={(event) => setAddress(event.target.value)}
        />
      </ChannelForm>
    </div>
  )
}

function ChannelItem({ channel }: { channel: Channel }) {
  const t = useWords(words)
  const refresh = useRefresh()
  const [isEditing, setEditing] = useState(false)
  const [result, setResult] = useState<KeyTest | 'sending' | null>(null)
  const name = channel.address
  const test = async () => {
    setResult('sending')
    setResult(
      await api.testChannel(channel.id).catch((error: Error) => ({ ok: false, detail: error.message })),
    )
  }
  const remove = () =>
    void api.removeChannel(channel.id).then(refresh, (error: Error) => toast(error.message))
  return (
    <li className="flex flex-col gap-2 border-t border-line py-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone="plain">{t(`channels.${channel.kind}`)}</Badge>
        <h3 className="min-w-0 flex-1 text-sm font-medium wrap-anywhere">{name}</h3>
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
          <Button small tone="quiet" aria-label={t('channels.remove.of', { channel: name })} onClick={remove}>
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
