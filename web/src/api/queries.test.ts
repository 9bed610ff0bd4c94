import { InfiniteQueryObserver } from '@tanstack/react-query'
import { afterEach, expect, test } from 'vitest'
import { applySessionChange, queryClient } from './queries'
import type { Page, Session } from './types'

const session = (status: Session['status']) => ({ id: 's1', title: 'Busy', status }) as Session
const page = (status: Session['status']): Page<Session> => ({ items: [session(status)], next_cursor: null })

afterEach(() => queryClient.clear())

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
