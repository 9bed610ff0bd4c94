/** `Name: value` in each line; null if a line is none. */
export function readHeaders(text: string): Record<string, string> | null {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  const pairs = lines.map((line) => /^([^\s:]+):\s*(\S.*)$/.exec(line))
  if (pairs.includes(null)) return null
  return Object.fromEntries(pairs.map((pair) => [pair![1]!, pair![2]!]))
}
