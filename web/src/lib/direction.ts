const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/**
 * Of a block of Markdown that holds other blocks: that of its first letter outside of code. `dir="auto"` looks past parts
 * that have a direction of their own, which these have.
 */
export function directionOf(markdown: string): 'ltr' | 'rtl' {
  const letter = /\p{L}/u.exec(markdown.slice(0, 2000).replace(/`[^`]*`/g, ''))?.[0]
  return letter !== undefined && RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr'
}
