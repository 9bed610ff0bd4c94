import { inLanguage } from '@/i18n/sentences'
import { shortened } from '@/lib/shortened'
import type { Row } from '@/stream/rows'

/** The words of a query, each taken as the beginning of a word, as the server does. */
export function patternsOf(query: string): RegExp[] {
  const words = query.match(/[\p{L}\p{N}_]+/gu) ?? []
  return words.map((word) => new RegExp(`(?<![\\p{L}\\p{N}_])${word}`, 'iu'))
}

export const matches = (text: string, patterns: RegExp[]): boolean =>
  patterns.length > 0 && patterns.every((pattern) => pattern.test(text))

/** The text cut where a word begins that was looked for: every second part is such a beginning. */
export function marked(text: string, patterns: RegExp[]): string[] {
  if (patterns.length === 0) return [text]
  return text.split(new RegExp(`(${patterns.map((pattern) => pattern.source).join('|')})`, 'giu'))
}

const BEFORE = 30
const LONGEST = 120

/** The text around the first word found, from the beginning of a word. */
export function snippetOf(text: string, patterns: RegExp[]): string {
  const flat = text
    .replace(/[*_`#>|]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  const at = Math.max(0, ...patterns.slice(0, 1).map((pattern) => flat.search(pattern)))
  const space = flat.indexOf(' ', at - BEFORE)
  const begin = space >= 0 && space < at ? space + 1 : at
  const start = at > BEFORE ? begin : 0
  return `${start > 0 ? '…' : ''}${shortened(flat.slice(start), LONGEST)}`
}

/** What of a row can be found. */
export function textOf(row: Row): string {
  if (row.kind === 'user' || row.kind === 'text') return row.text
  if (row.kind === 'tool') return `${row.summary} ${row.url ?? ''}`
  return ''
}

/** The same as it is shown, in the language of the page. */
export const shownOf = (row: Row): string =>
  row.kind === 'tool' ? `${inLanguage(row.summary, row.parts)} ${row.url ?? ''}` : textOf(row)

/** The newest rows that say all of it, newest first. */
export function findRows(ids: string[], rows: Record<string, Row>, patterns: RegExp[], limit: number): Row[] {
  const found: Row[] = []
  for (let index = ids.length - 1; index >= 0 && found.length < limit; index -= 1) {
    const row = rows[ids[index]!]
    if (row && matches(textOf(row), patterns)) found.push(row)
  }
  return found
}
