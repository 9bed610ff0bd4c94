import type { Token, TokensList } from 'marked'
import { syntax } from './syntax'

export interface Parsed {
  source: string
  tokens: Token[]
}

export const NOTHING: Parsed = { source: '', tokens: [] }

/** Blocks at the end that later text may still change. */
const OPEN_BLOCKS = 2

/**
 * Parses text that grows at its end: finished blocks keep their identity, only the open tail is lexed again.
 */
export function parse(text: string, before: Parsed): Parsed {
  const source = text.replace(/\r\n?/g, '\n')
  if (source === before.source) return before
  const kept = source.startsWith(before.source) ? before.tokens.slice(0, -OPEN_BLOCKS) : []
  const start = kept.reduce((sum, token) => sum + token.raw.length, 0)
  if (start > 0 && !isAligned(kept, source)) return { source, tokens: lex(source) }
  return { source, tokens: [...kept, ...lex(source.slice(start))] }
}

const lex = (text: string): TokensList => syntax.lexer(text) as TokensList

/** The lexer may normalise what it reads; then lengths of raw text say nothing about places. */
function isAligned(tokens: Token[], source: string): boolean {
  const raw = tokens.map((token) => token.raw).join('')
  return source.startsWith(raw)
}
