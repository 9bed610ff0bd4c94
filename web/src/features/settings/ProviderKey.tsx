import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { api } from '@/api/client'
import type { KeyState, KeyTest } from '@/api/types'
import { useWords } from '@/i18n'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { INPUT } from '@/ui/Field'
import { words } from './settingsWords'
import { TestResult } from './TestResult'

const NAMES: Record<string, string> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  openrouter: 'OpenRouter',
  google: 'Google',
}

const TONES = { set: 'ok', environment: 'info', unset: 'plain' } as const

/** One provider's key: given, tried, taken away, never shown. */
export function ProviderKey({ provider, state }: { provider: string; state: KeyState }) {
  const t = useWords(words)
  const client = useQueryClient()
  const name = NAMES[provider] ?? provider
  const [key, setKey] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const [result, setResult] = useState<KeyTest | 'asking' | null>(null)

  const act = async (call: () => Promise<KeyTest | void>) => {
    setResult('asking')
    try {
      setResult((await call()) ?? null)
    } catch (error) {
      setResult({ ok: false, detail: (error as Error).message, abilities: [] })
    }
    void client.invalidateQueries({ queryKey: ['settings'] })
    void client.invalidateQueries({ queryKey: ['config'] })
  }
  const save = () =>
    act(async () => {
      const given = { provider, key: key.trim(), address: null, model: null, is_default: false }
      const { ok, detail, model } = await api.connect(given)
      if (ok) setKey('')
      else field.current?.select()
      return { ok, detail: ok ? t('keys.answers', { model }) : detail, abilities: [] }
    })
  return (
    <li className="flex flex-col gap-2 border-t border-line py-3">
      <div className="flex items-center gap-2">
        <h3 className="min-w-0 flex-1 text-sm font-medium">{name}</h3>
        <Badge tone={TONES[state]}>{t(`keys.${state}`)}</Badge>
      </div>
      <form
        className="flex flex-wrap gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <input
          ref={field}
          type="password"
          autoComplete="off"
          minLength={8}
          maxLength={500}
          aria-label={t('keys.new', { provider: name })}
          placeholder={t('keys.hint')}
          value={key}
          onChange={(event) => setKey(event.target.value)}
          className={`${INPUT} touch min-w-40 flex-1`}
        />
        <Button type="submit" className="h-9" disabled={key.trim() === '' || result === 'asking'}>
          {t('keys.save')}
        </Button>
        {state !== 'unset' && (
          <Button
            className="h-9"
            aria-label={t('keys.test.of', { provider: name })}
            disabled={result === 'asking'}
            onClick={() => void act(() => api.testKey(provider))}
          >
            {t('keys.test')}
          </Button>
        )}
        {state === 'set' && (
          <Button
            tone="quiet"
            className="h-9"
            aria-label={t('keys.remove.of', { provider: name })}
            onClick={() => void act(() => api.removeKey(provider))}
          >
            {t('keys.remove')}
          </Button>
        )}
      </form>
      <div role="status">
        <TestResult result={result} />
      </div>
    </li>
  )
}
