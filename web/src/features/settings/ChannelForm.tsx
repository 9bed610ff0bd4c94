import { type ReactNode, useState } from 'react'
import type { Channel, ChannelChange, ChannelEvent } from '@/api/types'
import { useWords } from '@/i18n'
import { ownZone } from '@/lib/time'
import { Button } from '@/ui/Button'
import { Choice } from '@/ui/Choice'
import { Field } from '@/ui/Field'
import { Switch } from '@/ui/Switch'
import { words } from './channelWords'

const EVENTS: ChannelEvent[] = ['question', 'manual', 'done', 'failed', 'needs_you', 'budget']
const NEW: ChannelChange = { events: EVENTS, mode: 'always', quiet: null, digest: null, links: false }

interface Props {
  channel?: Channel
  submit: string
  isReady?: boolean
  onSubmit: (change: ChannelChange) => Promise<unknown>
  onCancel: () => void
  /** Fields before those of every channel. */
  children?: ReactNode
}

/** What a channel sends, and when. */
export function ChannelForm({
  channel = NEW as Channel,
  submit,
  isReady = true,
  onSubmit,
  onCancel,
  children,
}: Props) {
  const t = useWords(words)
  const [events, setEvents] = useState<ChannelEvent[]>(channel.events)
  const [mode, setMode] = useState<string>(channel.mode)
  const [quiet, setQuiet] = useState(channel.quiet)
  const [digest, setDigest] = useState(channel.digest)
  const [links, setLinks] = useState(channel.links)
  const [failure, setFailure] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    setFailure(null)
    setBusy(true)
    try {
      await onSubmit({ events, mode: mode as Channel['mode'], quiet, digest, links })
    } catch (error) {
      setFailure((error as Error).message)
    }
    setBusy(false)
  }
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      {children}
      <EventChoices events={events} onChange={setEvents} />
      <div className="flex flex-col gap-1.5">
        <Choice
          label={t('channels.mode')}
          options={(['always', 'away'] as const).map((value) => ({ value, label: t(`channels.${value}`) }))}
          value={mode}
          onChange={setMode}
        />
        <p className="text-xs text-muted">{t('channels.mode.note')}</p>
      </div>
      <Switch
        label={t('channels.quiet')}
        checked={quiet !== null}
        onChange={(isOn) => setQuiet(isOn ? usualQuiet() : null)}
      />
      {quiet && <QuietFields quiet={quiet} onChange={setQuiet} />}
      <DigestFields digest={digest} onChange={setDigest} />
      <Switch label={t('channels.links')} checked={links} onChange={setLinks} />
      {links && <p className="text-xs text-muted">{t('channels.links.note')}</p>}
      {failure && (
        <p role="alert" className="text-sm wrap-anywhere text-danger">
          {failure}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" tone="primary" disabled={isBusy || !isReady || events.length === 0}>
          {submit}
        </Button>
        <Button tone="quiet" onClick={onCancel}>
          {t('cancel')}
        </Button>
      </div>
    </form>
  )
}

interface EventProps {
  events: ChannelEvent[]
  onChange: (events: ChannelEvent[]) => void
}

function EventChoices({ events, onChange }: EventProps) {
  const t = useWords(words)
  const toggle = (event: ChannelEvent) =>
    onChange(EVENTS.filter((one) => (one === event) !== events.includes(one)))
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 text-sm font-medium">{t('channels.events')}</legend>
      {EVENTS.map((event) => (
        <label key={event} className="touch flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            checked={events.includes(event)}
            onChange={() => toggle(event)}
            className="size-4 accent-accent"
          />
          {t(event === 'failed' ? 'channels.event.failed' : `channels.${event}`)}
        </label>
      ))}
      {events.length === 0 && <p className="text-xs text-danger">{t('channels.events.none')}</p>}
    </fieldset>
  )
}

type Quiet = NonNullable<Channel['quiet']>

function QuietFields({ quiet, onChange }: { quiet: Quiet; onChange: (quiet: Quiet) => void }) {
  const t = useWords(words)
  return (
    <div className="flex flex-wrap gap-3">
      <Field
        type="time"
        required
        label={t('channels.from')}
        value={quiet.from}
        onChange={(event) => onChange({ ...quiet, from: event.target.value })}
      />
      <Field
        type="time"
        required
        label={t('channels.to')}
        value={quiet.to}
        onChange={(event) => onChange({ ...quiet, to: event.target.value })}
      />
      <Field
        required
        label={t('channels.zone')}
        hint={t('channels.quiet.note')}
        value={quiet.zone}
        onChange={(event) => onChange({ ...quiet, zone: event.target.value })}
        className="min-w-40 flex-1"
      />
    </div>
  )
}

type Digest = Channel['digest']

const DIGESTS = {
  once: () => null,
  hourly: () => ({ minutes: 60, at: null, zone: null }),
  daily: () => ({ minutes: null, at: '18:00', zone: usualQuiet().zone }),
}

function DigestFields({ digest, onChange }: { digest: Digest; onChange: (digest: Digest) => void }) {
  const t = useWords(words)
  const kind = digest === null ? 'once' : digest.at === null ? 'hourly' : 'daily'
  return (
    <div className="flex flex-col gap-1.5">
      <Choice
        label={t('channels.digest')}
        options={(['once', 'hourly', 'daily'] as const).map((value) => ({
          value,
          label: t(`channels.digest.${value}`),
        }))}
        value={kind}
        onChange={(value) => onChange(DIGESTS[value as keyof typeof DIGESTS]())}
      />
      {digest?.at != null && (
        <Field
          type="time"
          required
          label={t('channels.digest.at')}
          value={digest.at}
          onChange={(event) => onChange({ ...digest, at: event.target.value })}
        />
      )}
      <p className="text-xs text-muted">{t('channels.digest.note')}</p>
    </div>
  )
}

const usualQuiet = () => ({
  from: '22:00',
  to: '07:00',
  zone: ownZone(),
})
