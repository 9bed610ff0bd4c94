import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '@/api/client'
import type { KeyState, KeyTest } from '@/api/types'
import { useWords } from '@/i18n'
import { useOverlay } from '@/lib/overlay'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { words } from './settingsWords'
import { TestResult } from './TestResult'

const NAMES: Record<string, string> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  openrouter: 'OpenRouter',
  google: 'Google',
}

const TONES = { set: 'ok', environment: 'info', unset: 'plain' } as const

/** One provider's key: tried, taken away, never shown. A new one is given in the dialog that connects a model. */
export function ProviderKey({ provider, state }: { provider: string; state: KeyState }) {
  const t = useWords(words)
  const client = useQueryClient()
  const name = NAMES[provider] ?? provider
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
  const give = t(state === 'unset' ? 'keys.add' : 'keys.replace')
  return (
    <li className="flex flex-col gap-2 border-t border-line py-3">
      <div className="flex items-center gap-2">
        <h3 className="min-w-0 flex-1 text-sm font-medium">{name}</h3>
        <Badge tone={TONES[state]}>{t(`keys.${state}`)}</Badge>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button
          className="h-9"
          aria-label={t('keys.new', { provider: name, act: give })}
          onClick={() => useOverlay.getState().show('connect', provider)}
        >
          {give}
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
      </div>
      <div role="status">
        <TestResult result={result} />
      </div>
    </li>
  )
}
