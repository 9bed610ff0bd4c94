import { Marked, Tokenizer, type TokenizerAndRendererExtension, type Tokens } from 'marked'
import { addressEnd } from './addressEnd'

/** Letters of scripts that write without spaces, or join words to what stands before them. */
const JOINED =
  '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Bopomofo}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}ー]'
const SIGN = '[\\p{P}\\p{S}]'
const BEFORE_LETTER = new RegExp(`(?<=(?![*_~])${SIGN}[*_]+)${JOINED}`, 'gu')
const AFTER_LETTER = new RegExp(`${JOINED}(?=[*_]+(?![*_~])${SIGN})`, 'gu')
const OPENS_WITH_SIGN = new RegExp(`^[*_]+(?![*_~])${SIGN}`, 'u')
const ENDS_JOINED = new RegExp(`${JOINED}$`, 'u')
/** Signs of emphasis in a row; more are a line drawn with them, and cost the square of their number. */
const MAX_SIGNS = 100

const BLOCK = /^ {0,3}(\$\$[^]+?\$\$|\\\[[^]+?\\\]|\\begin\{([a-z]+\*?)\}[^]+?\\end\{\2\})[ \t]*(?:\n+|$)/
const INLINE = /^(?:\$\$[^]+?\$\$|\\\([^]+?\\\)|\\\[[^]+?\\\]|\\begin\{([a-z]+\*?)\}[^]+?\\end\{\1\})/
/** Between single dollars, if it is no price: closed, not spaced, and with a sign that prices do not have. */
const DOLLARS = /^\$(?=\S)(?=[^$\n]*[\\_^{}])[^$\n]*?[^\s$\\]\$(?!\d)/

/** A line with nothing but its beginning ends a paragraph, unless it is the end of one that began in a line. */
const BEGINS = /\n {0,3}(?:\$\$|\\\[)[ \t]*\n/g

function startOfBlock(text: string): number | undefined {
  for (const { index } of text.matchAll(BEGINS)) {
    const before = text.slice(0, index)
    const isOpen = count(before, '$$') % 2 === 1 || count(before, '\\[') > count(before, '\\]')
    if (!isOpen) return index
  }
  return undefined
}

const count = (text: string, sign: string): number => text.split(sign).length - 1

function startOfInline(text: string): number | undefined {
  const at = text.search(/\\[([]|\\begin\{|\$/)
  return at < 0 ? undefined : at
}

const formula = (level: 'block' | 'inline', pattern: RegExp): TokenizerAndRendererExtension => ({
  name: level === 'block' ? 'formulaBlock' : 'formula',
  level,
  start: level === 'block' ? startOfBlock : startOfInline,
  tokenizer(text) {
    const raw = pattern.exec(text)?.[0]
    return raw ? { type: 'formula', raw, text: raw.trim() } : undefined
  },
})

/** A price such as `US$1_000` begins no formula: what stands before the dollar is not seen, so it is read as text. */
const price: TokenizerAndRendererExtension = {
  name: 'price',
  level: 'inline',
  start: (text) => {
    const at = text.search(/[\p{L}\p{N}]\$/u)
    return at < 0 ? undefined : at
  },
  tokenizer(text) {
    const raw = /^[\p{L}\p{N}]\$+/u.exec(text)?.[0]
    if (raw) return { type: 'text', raw, text: raw } as Tokens.Text
  },
}

/**
 * GitHub's Markdown as people and models write it in all scripts: emphasis next to letters without spaces, addresses that
 * end where they end, `~` between numbers, and formulas as they are written. The server's `markdown_rules` are the same.
 */
export const syntax = new Marked({
  gfm: true,
  extensions: [
    formula('block', BLOCK),
    price,
    formula('inline', new RegExp(`${INLINE.source}|${DOLLARS.source}`)),
  ],
  hooks: {
    emStrongMask: (text: string) => text.replace(BEFORE_LETTER, filler).replace(AFTER_LETTER, filler),
  },
  tokenizer: {
    emStrong(text, masked, before = '') {
      const run = /^[*_]+/.exec(text)?.[0] ?? ''
      if (run.length > MAX_SIGNS) return { type: 'text', raw: run, text: run } as unknown as Tokens.Strong
      const isOpen = OPENS_WITH_SIGN.test(text) && ENDS_JOINED.test(before)
      return Tokenizer.prototype.emStrong.call(this, text, masked, isOpen ? '' : before)
    },
    del(text) {
      const found = /^~~(?=[^\s~])([^]*?[^\s~])~~(?!~)/.exec(text)
      if (!found) return undefined
      const [raw, inner] = [found[0], found[1]!]
      return { type: 'del', raw, text: inner, tokens: this.lexer.inlineTokens(inner) }
    },
    url(text) {
      const token = Tokenizer.prototype.url.call(this, text)
      if (!token || token.href.startsWith('mailto:')) return token
      const raw = token.raw.slice(0, addressEnd(token.raw))
      if (raw === token.raw) return token
      if (!raw || (/\/$|^www\.$/.test(raw) && !/\w[/.]\S*\.\S/.test(raw))) return undefined
      const href = token.href.slice(0, token.href.length - (token.raw.length - raw.length))
      return { ...token, raw, href, text: raw, tokens: [{ type: 'text', raw, text: raw }] }
    },
  },
})

/** A sign in place of a letter, of the same length: only what stands next to the emphasis is looked at. */
const filler = (letter: string) => '+'.repeat(letter.length)
