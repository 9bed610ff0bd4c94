// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { queryClient } from '@/api/queries'
import type { Session } from '@/api/types'
import { FrameProvider } from '@/lib/frame'
import { SessionIdProvider } from '@/session/sessionId'
import type { RunView } from '@/stream/live'
import { SessionStoreProvider, storeOf } from '@/stream/store'
import { SidePanel } from './SidePanel'

vi.mock('@/features/takeover/BrowserStage', () => ({ default: () => null }))
vi.mock('@/features/files/FilesPanel', () => ({ default: () => null }))
afterEach(cleanup)

const SIDE = { isOpen: true, isSheet: false, toggle: () => undefined }

function tabsOf(
  id: string,
  stored: string,
  running: string | null,
  plan: string[] = [],
  isStaged = false,
): string[] {
  const store = storeOf(id)
  store.setState((state) => ({
    run: running ? ({ id: 'r', agent: running, step: 0 } as RunView) : null,
    work: { ...state.work, plan },
  }))
  queryClient.setQueryData(['session', id], { id, agent: stored } as Session)
  render(
    <QueryClientProvider client={queryClient}>
      <SessionIdProvider value={id}>
        <SessionStoreProvider value={store}>
          <FrameProvider value={{ sidebar: SIDE, panel: SIDE }}>
            <SidePanel isStaged={isStaged} />
          </FrameProvider>
        </SessionStoreProvider>
      </SessionIdProvider>
    </QueryClientProvider>,
  )
  return screen.getAllByRole('tab').map((tab) => tab.textContent ?? '')
}

test('an agent that makes no plan has no tab for one, while it runs and after it', () => {
  expect(tabsOf('a', 'assistant', 'assistant')).toEqual(['Browser', 'Files'])
  cleanup()
  expect(tabsOf('b', 'assistant', null)).toEqual(['Browser', 'Files'])
})

test('a plan has its tab before the operator has made it, and whoever made it', () => {
  expect(tabsOf('c', 'operator', null)).toEqual(['Plan', 'Facts', 'Browser', 'Files'])
  cleanup()
  expect(tabsOf('d', 'assistant', 'assistant', ['Look'])[0]).toContain('Plan')
})

test('a browser above the tabs is none of them', () => {
  expect(tabsOf('g', 'operator', null, [], true)).toEqual(['Plan', 'Facts', 'Files'])
})

test('the tab that was chosen in one session is not that of another', () => {
  const selected = () => screen.getByRole('tab', { selected: true }).textContent
  tabsOf('e', 'operator', null)
  fireEvent.click(screen.getByRole('tab', { name: 'Files' }))
  expect(selected()).toBe('Files')
  cleanup()
  tabsOf('f', 'operator', null)
  expect(selected()).toBe('Plan')
  cleanup()
  tabsOf('e', 'operator', null)
  expect(selected()).toBe('Files')
})
