// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Hold, isReached } from './follow'

const feedAt = (left: number) => ({ scrollHeight: 1000, clientHeight: 400, scrollTop: 600 - left }) as Element

describe('the end', () => {
  test('is reached near it by a scroll towards it only', () => {
    expect(isReached(feedAt(80), 10)).toBe(true)
    expect(isReached(feedAt(81), 10)).toBe(false)
    expect(isReached(feedAt(60), -10)).toBe(false)
    expect(isReached(feedAt(60), 0)).toBe(false)
    expect(isReached(feedAt(4), -10)).toBe(true)
  })
})

describe('nothing scrolls for the person', () => {
  const went = vi.fn()
  let feed: HTMLElement
  let hold: Hold
  let release: () => void
  beforeEach(() => {
    vi.useFakeTimers()
    went.mockClear()
    feed = document.createElement('div')
    hold = new Hold(went)
    release = hold.listen(feed)
  })
  afterEach(() => {
    release()
    vi.useRealTimers()
  })
  const touches = (name: string, count: number) =>
    feed.dispatchEvent(Object.assign(new Event(name), { touches: Array.from({ length: count }) }))

  test('while a finger is down, and what grew meanwhile is followed after it', () => {
    touches('touchstart', 1)
    touches('touchstart', 2)
    expect(hold.isOn).toBe(true)
    touches('touchend', 1)
    expect(hold.isOn).toBe(true)
    expect(went).not.toHaveBeenCalled()
    touches('touchend', 0)
    expect(hold.isOn).toBe(false)
    expect(went).toHaveBeenCalledOnce()
  })

  test.each([
    ['a wheel', () => new WheelEvent('wheel', { deltaY: -60 })],
    ['a key', () => new KeyboardEvent('keydown', { key: 'ArrowUp' })],
  ])('for a moment after %s that leads up', (_, event) => {
    feed.dispatchEvent(event())
    expect(hold.isOn).toBe(true)
    vi.advanceTimersByTime(250)
    expect(hold.isOn).toBe(false)
    expect(went).toHaveBeenCalledOnce()
  })

  test.each([
    ['a wheel', () => new WheelEvent('wheel', { deltaY: 60 })],
    ['a key', () => new KeyboardEvent('keydown', { key: 'PageDown' })],
  ])('but %s that leads down holds nothing', (_, event) => {
    feed.dispatchEvent(event())
    expect(hold.isOn).toBe(false)
  })
})
