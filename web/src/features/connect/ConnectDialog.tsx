import { useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CircleX, ExternalLink } from 'lucide-react'
import { useRef, useState } from 'react'
import { api } from '@/api/client'
import { useConfig } from '@/api/queries'
import type { Connected } from '@/api/types'
import { useLang, useWords } from '@/i18n'
import { cx } from '@/lib/cx'
import { money } from '@/lib/numbers'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Field } from '@/ui/Field'
import { Spinner } from '@/ui/Spinner'
import { words } from './connectWords'
import { isOwn, type Place, PLACES } from './places'

interface Props {
  /** The session whose model is changed, too. */
  sessionId: string | null
  /** Whose key it begins with. */
  provider: string | null
  onClose: () => void
}

/** A model for real tasks: where it is, its key, a try that is watched. Only what works is kept. */
export default function ConnectDialog({ sessionId, provider, onClose }: Props) {
  const t = useWords(words)
  const [place, setPlace] = useState<Place>(PLACES.find((one) => one.provider === provider) ?? PLACES[0]!)
  const [connected, setConnected] = useState<Connected | null>(null)
  return (
    <Dialog open onClose={onClose} title={t('connect.title')}>
      {connected ? (
        <Done connected={connected} onClose={onClose} />
      ) : (
        <>
          <p className="mb-4 text-sm text-muted">{t('connect.about')}</p>
          <div
            role="radiogroup"
            aria-label={t('connect.where')}
            className="mb-4 grid grid-cols-2 gap-2 md:grid-cols-3"
          >
            {PLACES.map((one) => (
              <label
                key={one.id}
                className={cx(
                  'touch flex cursor-pointer items-center justify-center rounded-md border px-3 py-2 text-sm has-focus-visible:outline-2 has-focus-visible:outline-focus',
                  one === place
                    ? 'border-accent bg-accent-soft font-medium'
                    : 'border-line hover:border-strong',
                )}
              >
                <input
                  type="radio"
                  name="place"
                  className="sr-only"
                  checked={one === place}
                  onChange={() => setPlace(one)}
                />
                {one.name ?? t('connect.own')}
              </label>
            ))}
          </div>
          <PlaceForm key={place.id} place={place} sessionId={sessionId} onConnected={setConnected} />
        </>
      )}
    </Dialog>
  )
}

interface FormProps {
  place: Place
  sessionId: string | null
  onConnected: (connected: Connected) => void
}

function PlaceForm({ place, sessionId, onConnected }: FormProps) {
  const t = useWords(words)
  const [key, setKey] = useState('')
  const [address, setAddress] = useState(place.address ?? '')
  const [model, setModel] = useState('')
  const [names, setNames] = useState<string[]>([])
  const { act, failure, isBusy } = useTries()
  const form = useRef<HTMLFormElement>(null)
  const own = isOwn(place)
  const given = {
    provider: place.provider,
    key: key.trim() || null,
    address: own ? address.trim() : null,
    model: own ? model.trim() || null : null,
  }
  const connect = async () => {
    const answer = await api.connect(given)
    if (!answer.ok) throw new Error(answer.detail)
    if (sessionId) await api.patchSession(sessionId, { model: answer.model })
    onConnected(answer)
  }
  const list = async () => {
    const found = await api.serverModels({ ...given, model: null })
    setAddress(found.address)
    setNames(found.names)
    setModel(found.names[0] ?? '')
  }
  const isReady = own ? address.trim() !== '' && model.trim() !== '' : key.trim().length >= 8
  return (
    <form
      ref={form}
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady && !isBusy) void act(connect)
      }}
    >
      {place.link && (
        <a
          href={place.link}
          target="_blank"
          rel="noopener noreferrer"
          className="flex items-center gap-1.5 self-start text-sm text-accent-text underline underline-offset-2"
        >
          <ExternalLink size={14} aria-hidden />
          {t(place.id === 'ollama' ? 'connect.get.ollama' : 'connect.get', {
            site: new URL(place.link).host,
          })}
        </a>
      )}
      {own && (
        <Field
          label={t('connect.address')}
          type="url"
          inputMode="url"
          hint={place.id === 'own' ? t('connect.address.hint') : undefined}
          value={address}
          placeholder="http://127.0.0.1:8080/v1"
          onChange={(event) => setAddress(event.target.value)}
        />
      )}
      {place.id !== 'ollama' && (
        <Field
          label={t(own ? 'connect.key.optional' : 'connect.key')}
          type="password"
          autoComplete="off"
          maxLength={500}
          value={key}
          hint={own ? undefined : t('connect.key.hint')}
          onChange={(event) => setKey(event.target.value)}
          onPaste={() => !own && setTimeout(() => form.current?.requestSubmit())}
        />
      )}
      {own && (
        <OwnModel
          model={model}
          names={names}
          onModel={setModel}
          onList={isBusy || address.trim() === '' ? null : () => void act(list)}
        />
      )}
      <TryState isBusy={isBusy} failure={failure} />
      <Button type="submit" tone="primary" className="h-9 self-start" disabled={!isReady || isBusy}>
        {t('connect.go')}
      </Button>
    </form>
  )
}

interface OwnModelProps {
  model: string
  /** Those of the server, once it was asked. */
  names: string[]
  onModel: (model: string) => void
  /** Asks for the names; null while it cannot be asked. */
  onList: (() => void) | null
}

function OwnModel({ model, names, onModel, onList }: OwnModelProps) {
  const t = useWords(words)
  return (
    <>
      <Button className="self-start" disabled={!onList} onClick={() => onList?.()}>
        {t('connect.list')}
      </Button>
      <Field
        label={t('connect.model')}
        list="connect-models"
        value={model}
        maxLength={180}
        onChange={(event) => onModel(event.target.value)}
      />
      <datalist id="connect-models">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  )
}

function TryState({ isBusy, failure }: { isBusy: boolean; failure: string }) {
  const t = useWords(words)
  return (
    <div role="status" className="min-h-5 text-sm">
      {isBusy && (
        <p className="flex items-center gap-2 text-muted">
          <Spinner size={14} />
          {t('connect.asking')}
        </p>
      )}
      {failure && (
        <p className="flex items-start gap-2 wrap-anywhere text-danger">
          <CircleX size={16} aria-hidden className="mt-0.5 shrink-0" />
          {failure}
        </p>
      )}
    </div>
  )
}

/** One try at a time, with the reason why the last one failed. */
function useTries() {
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState('')
  const act = async (call: () => Promise<void>) => {
    setBusy(true)
    setFailure('')
    try {
      await call()
      void client.invalidateQueries({ queryKey: ['settings'] })
      void client.invalidateQueries({ queryKey: ['config'] })
      void client.invalidateQueries({ queryKey: ['sessions'] })
    } catch (error) {
      setFailure((error as Error).message)
    }
    setBusy(false)
  }
  return { act, failure, isBusy }
}

function Done({ connected, onClose }: { connected: Connected; onClose: () => void }) {
  const t = useWords(words)
  const lang = useLang()
  const known = useConfig()?.models.find((one) => one.id === connected.model)
  const price =
    connected.task_cost == null
      ? t('connect.price.none')
      : t('connect.price', { price: money(connected.task_cost, lang) })
  return (
    <div className="flex flex-col items-start gap-4">
      <p role="status" className="flex items-start gap-2 text-sm">
        <CircleCheck size={18} aria-hidden className="mt-0.5 shrink-0 text-ok" />
        <span>
          <b className="font-medium">
            {t('connect.done', { model: known?.label ?? connected.model.replace(/^\w+:/, '') })}
          </b>
          {`, ${price}.`}
          {!connected.calls_tools && <span className="block text-muted">{t('connect.no.tools')}</span>}
        </span>
      </p>
      <Button tone="primary" className="h-9" onClick={onClose}>
        {t('connect.back')}
      </Button>
    </div>
  )
}
