import { useState } from 'react'
import { api } from '@/api/client'
import type { KeyTest } from '@/api/types'
import { useWords } from '@/i18n'
import { Button } from '@/ui/Button'
import { words } from './settingsWords'
import { TestResult } from './TestResult'

/** Asks the model of new sessions, also one of an own server that needs no key, what it can do. */
export function ModelTest({ model, provider }: { model: string; provider: string }) {
  const t = useWords(words)
  const [result, setResult] = useState<KeyTest | 'asking' | null>(null)
  const test = async () => {
    setResult('asking')
    try {
      setResult(await api.testKey(provider, model))
    } catch (error) {
      setResult({ ok: false, detail: (error as Error).message, abilities: [] })
    }
  }
  return (
    <div className="flex flex-col items-start gap-2">
      <Button className="h-9" disabled={result === 'asking'} onClick={() => void test()}>
        {t('models.test')}
      </Button>
      <div role="status" className="w-full">
        <TestResult result={result} />
      </div>
    </div>
  )
}
