// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { queryClient } from '@/api/queries'
import type { Config, Settings } from '@/api/types'
import { ModelsTab } from './ModelsTab'

afterEach(cleanup)

const model = (id: string, ready: boolean, demo = false) => ({ id, label: id, provider: 'any', ready, demo })

function show(used: string): void {
  const models = [model('big', false), model('small', true), model('demo', true, true)]
  queryClient.setQueryData(['config'], { models, agents: [], defaults: { model: used } } as unknown as Config)
  const values = { agent_model: used === 'small' ? 'small' : 'big', default_agent: 'operator' }
  const settings = { values, defaults: values, keys: {} } as unknown as Settings
  render(
    <QueryClientProvider client={queryClient}>
      <ModelsTab settings={settings} />
    </QueryClientProvider>,
  )
}

test('while the model of new sessions has no key, the settings say that the demo works instead', () => {
  show('demo')
  expect(screen.queryByText(/work with the built-in demo/)).not.toBeNull()
  cleanup()
  show('small')
  expect(screen.queryByText(/work with the built-in demo/)).toBeNull()
})
