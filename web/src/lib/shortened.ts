const segmenter = typeof Intl.Segmenter === 'function' ? new Intl.Segmenter() : null

/** At most so many UTF-16 units of a text, without half a character: a flag or a family stays whole or is left out. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text
  let kept = 0
  for (const part of parts(text.slice(0, 2 * length + 40))) {
    if (kept + part.length > length) break
    kept += part.length
  }
  return text.slice(0, kept)
}

function* parts(text: string): Iterable<string> {
  if (segmenter) for (const { segment } of segmenter.segment(text)) yield segment
  else yield* text // by code points
}
