import type { CSSProperties } from 'react'

/** As large as a frame with `container-type: size` allows, in a given shape. */
export function fitted(width: number, height: number): CSSProperties {
  const ratio = width / height
  return { width: `min(100cqw, calc(100cqh * ${ratio}))`, aspectRatio: ratio }
}
