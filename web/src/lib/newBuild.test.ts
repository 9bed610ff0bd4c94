import { expect, test } from 'vitest'
import { newBuildReload } from './newBuild'

/** A page whose server does not answer the first `away` questions; `did` is what it did. */
function page({ away = 0, wasJustReloaded = false } = {}) {
  const did: string[] = []
  const reload = newBuildReload({
    wasJustReloaded: () => wasJustReloaded,
    answers: async () => away-- <= 0,
    wait: async (milliseconds) => void did.push(`wait ${milliseconds}`),
    reload: () => void did.push('reload'),
  })
  return { did, reload }
}

test('a part that is gone loads the page anew', async () => {
  const { did, reload } = page()
  await reload()
  expect(did).toEqual(['reload'])
})

test('a server that is being restarted is waited for', async () => {
  const { did, reload } = page({ away: 2 })
  await reload()
  expect(did).toEqual(['wait 2000', 'wait 2000', 'reload'])
})

test('a page that was just loaded anew is not loaded over and over', async () => {
  const { did, reload } = page({ wasJustReloaded: true })
  await reload()
  expect(did).toEqual([])
})

test('several parts that are gone at once load it once', async () => {
  const { did, reload } = page()
  await Promise.all([reload(), reload()])
  expect(did).toEqual(['reload'])
})
