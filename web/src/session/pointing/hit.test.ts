import { expect, test } from 'vitest'
import type { Box, PointedElement } from '@/api/types'
import { elementAt, frameOf, isSurface } from './hit'

const element = (id: string, role: string, box: Box): PointedElement => ({
  id,
  role,
  name: id,
  near: [],
  box,
})
const CARD = element('card', 'clickable', [10, 10, 30, 30])
const BUTTON = element('button', 'button', [12, 30, 10, 5])
const CANVAS = element('map', 'img', [0, 0, 100, 90])

test.each([
  [[15, 32], 'button'],
  [[30, 12], 'card'],
  [[90, 80], 'map'],
  [[50, 95], undefined],
] as const)('at %j is the smallest element that is there', ([x, y], id) => {
  expect(elementAt([CANVAS, CARD, BUTTON], [x, y])?.id).toBe(id)
})

test('on a large drawing the place counts, on a card the card', () => {
  expect([CANVAS, CARD, BUTTON].map(isSurface)).toEqual([true, false, false])
})

test('a frame is the same from any corner, and ends at the edge of the picture', () => {
  expect(frameOf([10, 20], [40, 50])).toEqual([10, 20, 30, 30])
  expect(frameOf([40, 50], [10, 20])).toEqual([10, 20, 30, 30])
  expect(frameOf([90, 90], [120, 130])).toEqual([90, 90, 10, 10])
})
