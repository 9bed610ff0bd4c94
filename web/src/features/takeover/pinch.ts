/** A picture enlarged in its frame: CSS pixels from the frame's top left, `scale` from 1. */
export interface Zoom {
  scale: number
  x: number
  y: number
}

export const WHOLE: Zoom = { scale: 1, x: 0, y: 0 }
const MOST = 6

type Spot = [x: number, y: number]

interface Gesture {
  /** The middle of the fingers, now and at the last event. */
  at: Spot
  from: Spot
  /** How much further apart the fingers are. */
  spread: number
}

/** The zoom after a gesture: what is between the fingers stays between them, and the frame stays full. */
export function pinched(zoom: Zoom, area: { width: number; height: number }, gesture: Gesture): Zoom {
  const scale = Math.min(MOST, Math.max(1, zoom.scale * gesture.spread))
  const grown = scale / zoom.scale
  const place = (at: number, from: number, offset: number, size: number) =>
    Math.min(0, Math.max(size * (1 - scale), at - (from - offset) * grown))
  return {
    scale,
    x: place(gesture.at[0], gesture.from[0], zoom.x, area.width) + 0,
    y: place(gesture.at[1], gesture.from[1], zoom.y, area.height) + 0,
  }
}
