import type { Box, PointedElement } from '@/api/types'

/** A place on a picture, in percent of its width and height. */
export type Spot = [x: number, y: number]

/** Roles of elements on which a point may say more than the element: what is drawn on it is not known. */
const LOOSE = new Set(['clickable', 'img', 'image', 'figure', 'application', 'region', 'draggable'])
/** Of the picture; a loose element that is larger is a surface. */
const SURFACE = 0.15

const areaOf = ([, , width, height]: Box) => width * height

const holds = ([left, top, width, height]: Box, [x, y]: Spot): boolean =>
  x >= left && y >= top && x <= left + width && y <= top + height

/** The smallest element that is there. */
export function elementAt(elements: readonly PointedElement[], spot: Spot): PointedElement | null {
  const there = elements.filter(({ box }) => holds(box, spot))
  return there.sort((a, b) => areaOf(a.box) - areaOf(b.box))[0] ?? null
}

/** Is it a surface with many things on it, so that the place counts? */
export const isSurface = ({ role, box }: PointedElement): boolean =>
  LOOSE.has(role) && areaOf(box) > SURFACE * 100 * 100

const inside = (value: number) => Math.round(100 * Math.min(100, Math.max(0, value))) / 100

/** The frame between two places. */
export function frameOf([x1, y1]: Spot, [x2, y2]: Spot): Box {
  const [left, right] = [inside(Math.min(x1, x2)), inside(Math.max(x1, x2))]
  const [top, bottom] = [inside(Math.min(y1, y2)), inside(Math.max(y1, y2))]
  return [left, top, inside(right - left), inside(bottom - top)]
}
