// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { queryClient } from '@/api/queries'
import type { Session, SessionStatus, Usage } from '@/api/types'
import type { RunView } from '@/stream/live'
import { SessionStoreProvider, storeOf } from '@/stream/store'
import UsageDetails from './UsageDetails'

afterEach(cleanup)

const usageOf = (tokens: number): Usage => ({
  input_tokens: tokens,
  output_tokens: 0,
  cached_tokens: 0,
  model_calls: 1,
  cost: null,
})

/** The text after a run of 300 tokens whose stream has ended, in a session that was last read as given. */
function textOf(status: SessionStatus, stored: number): string {
  const store = storeOf('s1')
  store.setState({ usage: usageOf(300) })
  queryClient.setQueryData(['config'], { limits: {} })
  const session = { id: 's1', status, usage: usageOf(stored) } as Session
  render(
    <QueryClientProvider client={queryClient}>
      <SessionStoreProvider value={store}>
        <UsageDetails session={session} />
      </SessionStoreProvider>
    </QueryClientProvider>,
  )
  return screen.getByText('Whole session').parentElement?.textContent ?? ''
}

test.each([
  ['running', 100],
  ['idle', 400],
] as const)("an ended run counts once, before and after the session's sum has it: %s", (status, stored) => {
  expect(textOf(status, stored)).toContain('400')
})

test('what the second model has used is named with its price', () => {
  const part = { ...usageOf(120), cost: 0.5 }
  const usage = { ...usageOf(300), models: { 'openai:gpt-5-mini': part, 'ollama:qwen3': usageOf(7) } }
  storeOf('s1').setState({ usage })
  render(
    <QueryClientProvider client={queryClient}>
      <SessionStoreProvider value={storeOf('s1')}>
        <UsageDetails session={undefined} />
      </SessionStoreProvider>
    </QueryClientProvider>,
  )
  expect(screen.getByText(/openai:gpt-5-mini/).textContent).toMatch(/120 · \$0\.50/)
  expect(screen.getByText(/ollama:qwen3/).textContent).toContain('7 · price unknown')
})

test('the limit is one of steps, by the same word as in the header', () => {
  storeOf('s1').setState({ run: { step: 7, maxSteps: 40 } as RunView })
  textOf('running', 100)
  expect(screen.getByText('Steps').parentElement?.textContent).toContain('7 of 40')
})
