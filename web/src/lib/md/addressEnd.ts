/** A sign that no address ends with or contains: typographic punctuation but the dots and hyphens of names in paths. */
const SIGN = /(?![·・‐])(?=[^\0-\x7f])[\p{P}\p{Z}\p{Sm}]/u
/** Of the host: whatever is neither a letter, a digit nor a sign of hosts, ports and names before an `@`. */
const NOT_HOST = /[^\p{L}\p{M}\p{N}\-._~:@%]/u
const HEAD = /^(?:https?:\/\/|ftp:\/\/|www\.)/i

/** How much of a bare address in a text is the address, in characters; 0 if it is none. */
export function addressEnd(text: string): number {
  const head = HEAD.exec(text)?.[0].length
  if (head === undefined) return text.length
  const rest = text.slice(head)
  const authority = /^[^/?#]*/.exec(rest)![0]
  const host = cut(authority, NOT_HOST)
  const last = host.lastIndexOf('.')
  // No top-level domain mixes ASCII with other letters: what follows is the next word of a text without spaces.
  const mixed = /^[a-z\d-]+(?=[^\0-\x7f])/i.exec(host.slice(last + 1))?.[0]
  const hostEnd = mixed === undefined ? host.length : last + 1 + mixed.length
  if (hostEnd === 0) return 0
  const end = hostEnd < authority.length ? hostEnd : cut(rest, SIGN).length
  return head + rest.slice(0, end).replace(/[.,;:!?'"]+$/, '').length
}

const cut = (text: string, at: RegExp): string => {
  const found = at.exec(text)
  return found ? text.slice(0, found.index) : text
}

/** Whether a sign that looks like the end of a sentence or quotation is a part of its host: it leads elsewhere. */
export const isMisleading = (address: string): boolean => {
  const authority = /^\s*[a-z]+:\/\/([^/?#]*)/i.exec(address)?.[1]
  return authority !== undefined && SIGN.test(authority)
}
