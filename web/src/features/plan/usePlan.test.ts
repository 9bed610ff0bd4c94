// @vitest-environment happy-dom
import { act, cleanup, renderHook } from '@testing-library/react'
import { createElement, type ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import type { WorkState } from '@/api/types'
import { SessionIdProvider } from '@/session/sessionId'
import { NO_WORK, type RunView } from '@/stream/live'
import { SessionStoreProvider, storeOf } from '@/stream/store'
import { usePlan } from './usePlan'

interface Sent {
  plan: string[]
  answer: (status?: number) => void
}

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** The hook on a session with this plan, and what it sends: nothing is answered until the test says so. */
function planOf(sessionId: string, plan: string[]) {
  const sent: Sent[] = []
  vi.stubGlobal('fetch', (_: string, { body }: { body: string }) => {
    const asked = JSON.parse(body) as Pick<WorkState, 'plan'>
    return new Promise((resolve) => {
      const answer = (status = 200) =>
        resolve(new Response(JSON.stringify({ ...NO_WORK, ...asked }), { status }))
      sent.push({ plan: asked.plan, answer })
    })
  })
  const store = storeOf(sessionId)
  store.setState({ work: { ...NO_WORK, plan } })
  const wrapper = ({ children }: { children: ReactNode }) =>
    createElement(SessionIdProvider, {
      value: sessionId,
      children: createElement(SessionStoreProvider, { value: store, children }),
    })
  return { sent, hook: renderHook(() => usePlan(), { wrapper }).result }
}

test('the answer to a change does not take back the next one', async () => {
  const { sent, hook } = planOf('quick', ['a', 'b'])
  act(() => hook.current.rename(0, 'x'))
  act(() => hook.current.move(1, 0))
  await expect.poll(() => sent.length).toBe(1)
  sent[0]?.answer()
  await expect
    .poll(() => sent.map(({ plan }) => plan))
    .toEqual([
      ['x', 'b'],
      ['b', 'x'],
    ])
  expect(hook.current.plan).toEqual(['b', 'x'])
  act(() => hook.current.add('c'))
  sent[1]?.answer()
  await expect.poll(() => sent[2]?.plan).toEqual(['b', 'x', 'c'])
})

test('what is reported of a change does not take back the next one', async () => {
  const { sent, hook } = planOf('reported', ['a', 'b'])
  const report = (plan: string[]) =>
    act(() => storeOf('reported').setState({ work: { ...NO_WORK, plan, goal: 'tea' } }))
  act(() => hook.current.rename(0, 'x'))
  act(() => hook.current.move(1, 0))
  report(['x', 'b'])
  expect(hook.current.plan).toEqual(['b', 'x'])
  await expect.poll(() => sent.length).toBe(1)
  sent[0]?.answer()
  await expect.poll(() => sent.length).toBe(2)
  expect(hook.current.plan).toEqual(['b', 'x'])
  report(['b', 'x'])
  sent[1]?.answer()
  await expect.poll(() => storeOf('reported').getState().unsaved).toBe(null)
  expect(storeOf('reported').getState().work).toMatchObject({ plan: ['b', 'x'], goal: 'tea' })
  report(['c'])
  expect(hook.current.plan).toEqual(['c'])
})

test('of two changes the first stays when the second is refused', async () => {
  const { sent, hook } = planOf('second', ['a', 'b'])
  act(() => hook.current.rename(0, 'x'))
  act(() => hook.current.remove(1))
  await expect.poll(() => sent.length).toBe(1)
  sent[0]?.answer()
  await expect.poll(() => sent.length).toBe(2)
  sent[1]?.answer(409)
  await expect.poll(() => hook.current.plan).toEqual(['x', 'b'])
})

test('a change that is refused is taken back', async () => {
  const { sent, hook } = planOf('refused', ['a'])
  act(() => hook.current.remove(0))
  expect(hook.current.plan).toEqual([])
  await expect.poll(() => sent.length).toBe(1)
  sent[0]?.answer(409)
  await expect.poll(() => hook.current.plan).toEqual(['a'])
})

test('a change is told as pending in the run in which it was made, and in no other', () => {
  const { hook } = planOf('pending', ['a'])
  const show = (run: Pick<RunView, 'id' | 'status' | 'step'>) =>
    act(() => storeOf('pending').setState({ run: { ...NO_RUN, ...run } }))
  show({ id: 'first', status: 'running', step: 1 })
  act(() => hook.current.add('b'))
  expect(hook.current.isPending).toBe(true)
  show({ id: 'first', status: 'completed', step: 1 })
  expect(hook.current.isPending).toBe(false)
  show({ id: 'second', status: 'running', step: 1 })
  expect(hook.current.isPending).toBe(false)
})

const NO_RUN = {
  agent: null,
  model: null,
  maxSteps: null,
  note: null,
  noteParts: null,
  queuePlace: null,
  startedAt: null,
  finishedAt: null,
}
