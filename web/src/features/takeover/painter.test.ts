// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Painter } from './painter'

let frames: (() => void)[] = []
const decoded: Blob[] = []

beforeEach(() => {
  frames = []
  decoded.length = 0
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame))
  vi.stubGlobal('createImageBitmap', async (blob: Blob) => {
    decoded.push(blob)
    return { width: 4, height: 2, close: () => undefined }
  })
})
afterEach(() => vi.unstubAllGlobals())

const canvas = () =>
  Object.assign(document.createElement('canvas'), { getContext: () => ({ drawImage: vi.fn() }) })

async function nextFrame(): Promise<void> {
  for (const frame of frames.splice(0)) frame()
  await vi.waitFor(() => undefined)
  await Promise.resolve()
}

test('of frames that come too fast the newest is drawn, and all are acknowledged then', async () => {
  const done = vi.fn()
  const painter = new Painter(done)
  painter.show(canvas())
  const [first, second] = [new Blob(['1']), new Blob(['2'])]
  painter.add(first)
  painter.add(second)
  expect(done).not.toHaveBeenCalled()
  await nextFrame()
  await vi.waitFor(() => expect(done).toHaveBeenCalledTimes(2))
  expect(decoded).toEqual([second])
})

test('nothing is decoded or acknowledged while nobody looks', async () => {
  const done = vi.fn()
  const painter = new Painter(done)
  painter.add(new Blob(['1']))
  await nextFrame()
  expect(done).not.toHaveBeenCalled()
  const shown = canvas()
  painter.show(shown)
  await nextFrame()
  await vi.waitFor(() => expect(done).toHaveBeenCalledTimes(1))
  expect([shown.width, shown.height]).toEqual([4, 2])
})

test('a frame that cannot be decoded holds nothing up', async () => {
  vi.stubGlobal('createImageBitmap', () => Promise.reject(new Error('no picture')))
  const done = vi.fn()
  const painter = new Painter(done)
  painter.show(canvas())
  painter.add(new Blob(['?']))
  await nextFrame()
  await vi.waitFor(() => expect(done).toHaveBeenCalledTimes(1))
})
