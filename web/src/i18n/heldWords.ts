import { type Lang, usePrefs } from '@/lib/prefs'

let russian: typeof import('./heldRu') | null = null

export async function loadHeldWords(): Promise<void> {
  russian = await import('./heldRu')
}

/** What a held request would do, `invite member to shop.example (role, email)`, in the language of the page. Several are
 *  joined by `; `; words that only the site knows stay as they are. */
export function heldWords(words: string, lang: Lang = usePrefs.getState().lang): string {
  if (lang !== 'ru' || !russian) return words
  const { ACTS, FIELDS } = russian
  return words
    .split('; ')
    .map((one) => request(one, ACTS, FIELDS))
    .join('; ')
}

type Table = Record<string, string>

function request(words: string, acts: Table, fields: Table): string {
  const [, act, host, sent = ''] = /^(.+?) to ([^\s;()]+)(?: \(([^()]*)\))?$/.exec(words) ?? []
  if (!act) return words
  const done = act.split(' ').map((word) => known(acts, word))
  const named = sent.split(', ').map((name) => known(fields, name))
  return `${done.join(' ')} на ${host}${sent && ` (${named.join(', ')})`}`
}

function known(table: Table, word: string): string {
  const find = (key: string) => (Object.hasOwn(table, key) ? table[key] : undefined)
  return find(word) ?? find(word.replace(/s$/, '')) ?? word
}
