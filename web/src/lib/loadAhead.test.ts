import { expect, test, vi } from 'vitest'
import { loadAhead } from './loadAhead'

test('a part that cannot be loaded ahead is no error', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  loadAhead(() => Promise.reject(new Error('offline')))
  await new Promise((resolve) => setTimeout(resolve))
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})
