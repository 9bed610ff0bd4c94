/** `fit`, or how many screen pixels show one of the picture's. */
export type Zoom = 'fit' | 0.5 | 1 | 2

export const ZOOMS: Zoom[] = ['fit', 0.5, 1, 2]

/** The next larger or smaller zoom. */
export function stepZoom(zoom: Zoom, by: 1 | -1): Zoom {
  const at = ZOOMS.indexOf(zoom) + by
  return ZOOMS[Math.min(Math.max(at, 0), ZOOMS.length - 1)] ?? 'fit'
}
