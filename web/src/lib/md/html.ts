import type { Token } from 'marked'
import { decode } from './entities'

const DRAWN = ['sub', 'sup', 'kbd'] as const
/** Tags that arrange or colour text: without them it says the same. */
const ARRANGING =
  /<\/?(?:a|abbr|b|big|center|cite|details|div|em|font|i|ins|mark|p|s|small|span|strong|sub|summary|sup|kbd|u|ul|ol|li)(?:\s[^<>]*)?>/gi

/** The name of a piece of HTML that is one tag, such as `br`, `sub` or `/sub`. */
export const tagOf = (token: Token): string | null =>
  token.type === 'html' ? (/^<(\/?[a-z]+)\s*\/?>$/i.exec(token.raw.trim())?.[1]?.toLowerCase() ?? null) : null

/** Which element opens here, of the few that are drawn. */
export const isDrawn = (token: Token): (typeof DRAWN)[number] | undefined =>
  DRAWN.find((name) => name === tagOf(token))

/** HTML as text: without comments and arranging tags, with lines where it breaks them. */
export const htmlWords = (raw: string): string =>
  decode(
    raw
      .replace(/<!--[^]*?(?:-->|$)/g, '')
      .replace(/<br\s*\/?>/gi, '\n')
      .replace(ARRANGING, ''),
  )
