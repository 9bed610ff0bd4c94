// @vitest-environment happy-dom
import { InfiniteQueryObserver, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, renderHook } from '@testing-library/react'
import { createElement, type ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { KEPT_SESSIONS, storeOf } from '@/stream/store'
import { sessionOf } from '@/test/recorded'
import { applySessionChange, queryClient, readAhead, useSession } from './queries'
import type { Page, Session } from './types'

const session = (status: Session['status']) => ({ id: 's1', title: 'Busy', status }) as Session
const page = (status: Session['status']): Page<Session> => ({ items: [session(status)], next_cursor: null })

afterEach(() => {
  cleanup()
  queryClient.clear()
  vi.unstubAllGlobals()
})

test('a list that was read before something happened does not put the old state back', async () => {
  const asked: ((page: Page<Session>) => void)[] = []
  const observer = new InfiniteQueryObserver<Page<Session>>(queryClient, {
    queryKey: ['sessions', ''],
    queryFn: () => new Promise((answer) => asked.push(answer)),
    initialPageParam: null,
    getNextPageParam: () => undefined,
  })
  const stop = observer.subscribe(() => undefined)
  asked[0]?.(page('running'))
  await expect.poll(() => observer.getCurrentResult().data?.pages[0]?.items[0]?.status).toBe('running')

  void observer.refetch()
  await expect.poll(() => asked.length).toBe(2)
  applySessionChange({ session_id: 's1', status: 'idle', title: 'Busy', unread: true })
  asked[1]?.(page('running'))
  await expect.poll(() => asked.length).toBe(3)
  asked[2]?.(page('idle'))
  await expect.poll(() => queryClient.isFetching()).toBe(0)
  expect(observer.getCurrentResult().data?.pages[0]?.items[0]?.status).toBe('idle')
  stop()
})

/** A server with one session, and how often that was read. */
function countReads(): { count: number } {
  const reads = { count: 0 }
  vi.stubGlobal('fetch', async () => {
    reads.count += 1
    return new Response(JSON.stringify(sessionOf('shop')))
  })
  return reads
}

const wrapper = ({ children }: { children: ReactNode }) =>
  createElement(QueryClientProvider, { client: queryClient }, children)

const isLoaded = (id: string) => storeOf(id).getState().loaded

test('a session that was read in advance is not read again, unless something happened to it', async () => {
  const reads = countReads()
  readAhead('quiet')
  readAhead('busy')
  await expect.poll(() => isLoaded('quiet') && isLoaded('busy')).toBe(true)
  renderHook(() => useSession('quiet'), { wrapper })
  expect(reads.count).toBe(2)

  applySessionChange({ session_id: 'busy', status: 'running', title: 'Busy' })
  renderHook(() => useSession('busy'), { wrapper })
  await expect.poll(() => reads.count).toBe(3)
})

test('a session that was read in advance and then dropped from memory is read again', async () => {
  const reads = countReads()
  readAhead('first')
  await expect.poll(() => isLoaded('first')).toBe(true)
  for (let count = 0; count < KEPT_SESSIONS; count += 1) storeOf(`next-${count}`)
  expect(isLoaded('first')).toBe(false)
  renderHook(() => useSession('first'), { wrapper })
  await expect.poll(() => isLoaded('first')).toBe(true)
  expect(reads.count).toBe(2)
})

test('a session that was dropped from memory is read again when it is opened', async () => {
  countReads()
  const page = renderHook(() => useSession('dropped'), { wrapper })
  await expect.poll(() => storeOf('dropped').getState().loaded).toBe(true)
  page.unmount()
  await expect.poll(() => queryClient.getQueryState(['session', 'dropped'])).toBeUndefined()
  for (let count = 0; count < KEPT_SESSIONS; count += 1) storeOf(`other-${count}`)
  expect(storeOf('dropped').getState().loaded).toBe(false)

  renderHook(() => useSession('dropped'), { wrapper })
  await expect.poll(() => storeOf('dropped').getState().loaded).toBe(true)
})
