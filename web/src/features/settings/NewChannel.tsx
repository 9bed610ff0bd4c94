import { useState } from 'react'
import { api } from '@/api/client'
import type { Channel } from '@/api/types'
import { useWords } from '@/i18n'
import { Choice } from '@/ui/Choice'
import { Field } from '@/ui/Field'
import { ChannelForm } from './ChannelForm'
import { words } from './channelWords'
import { canPush, deviceName, subscribe } from './push'
import { useRefresh } from './refreshChannels'

interface Props {
  onSecret: (secret: string | null) => void
  onClose: () => void
}

const KINDS = ['push', 'webhook', 'apprise'] as const

export function NewChannel({ onSecret, onClose }: Props) {
  const t = useWords(words)
  const refresh = useRefresh()
  const [kind, setKind] = useState<Channel['kind']>('push')
  const [address, setAddress] = useState('')
  const [name, setName] = useState(deviceName)
  const place = async () => {
    if (kind !== 'push') return { address: address.trim() }
    const subscription = await subscribe()
    if (!subscription) throw new Error(t('channels.push.denied'))
    return { ...subscription, name: name.trim() }
  }
  return (
    <div className="rounded-lg border border-line p-4">
      <ChannelForm
        submit={t(kind === 'push' ? 'channels.push.add' : 'channels.add')}
        isReady={kind !== 'push' || canPush()}
        onCancel={onClose}
        onSubmit={async (change) => {
          const { secret } = await api.addChannel({ ...change, kind, ...(await place()) })
          await refresh()
          onSecret(secret)
          onClose()
        }}
      >
        <Choice
          label={t('channels.kind')}
          options={KINDS.map((value) => ({ value, label: t(`channels.${value}`) }))}
          value={kind}
          onChange={(value) => setKind(value as Channel['kind'])}
        />
        {kind === 'push' ? (
          <>
            <p className="text-sm text-muted">
              {t(canPush() ? 'channels.push.hint' : 'channels.push.cannot')}
            </p>
            <Field
              maxLength={60}
              autoComplete="off"
              label={t('channels.name')}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </>
        ) : (
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
        )}
      </ChannelForm>
    </div>
  )
}
