import { expect, test } from 'vitest'
import { pinched, WHOLE } from './pinch'

const area = { width: 400, height: 200 }

test('what is between the fingers stays there', () => {
  const zoom = pinched(WHOLE, area, { at: [100, 50], from: [100, 50], spread: 2 })
  expect(zoom.scale).toBe(2)
  // The point of the picture that was at 100, 50 still is there.
  expect([100 * 2 + zoom.x, 50 * 2 + zoom.y]).toEqual([100, 50])
})

test('the picture never leaves its frame', () => {
  const far = pinched({ scale: 2, x: 0, y: 0 }, area, { at: [390, 190], from: [10, 10], spread: 1 })
  expect([far.x, far.y]).toEqual([0, 0])
  const back = pinched({ scale: 2, x: 0, y: 0 }, area, { at: [-900, -900], from: [0, 0], spread: 1 })
  expect([back.x, back.y]).toEqual([-400, -200])
  expect(pinched(WHOLE, area, { at: [5, 5], from: [90, 90], spread: 0.2 })).toEqual(WHOLE)
})
