const encoder = new TextEncoder()

/** The size of a text in UTF-8, as the server counts it. */
export const bytesOf = (text: string) => encoder.encode(text).length

/** How many characters at the end of a text are too many for so many bytes; 0 if it fits. */
export function excessOf(text: string, maxBytes: number): number {
  let excess = bytesOf(text) - maxBytes
  let count = 0
  for (let at = text.length; excess > 0; count += 1) {
    const code = text.codePointAt(at - 2) ?? 0
    const last = code > 0xffff ? String.fromCodePoint(code) : text[at - 1]!
    excess -= bytesOf(last)
    at -= last.length
  }
  return count
}
