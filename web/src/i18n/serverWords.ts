import { type Lang, usePrefs } from '@/lib/prefs'
import { loadHeldWords } from './heldWords'

interface Book {
  sentences: Record<string, string>
  templates: [RegExp, string][]
  roles: Record<string, string>
  directions: Record<string, string>
}
let russian: Book | null = null

export async function loadServerWords(): Promise<void> {
  const [said, named, done] = await Promise.all([
    import('./serverRu'),
    import('./templatesRu'),
    import('./resultsRu'),
    loadHeldWords(),
  ])
  const templates = Object.entries({ ...named.REFUSAL_TEMPLATES, ...done.RESULT_TEMPLATES })
  russian = {
    sentences: { ...said.REFUSALS, ...done.RESULTS },
    templates: templates.map(([english, words]) => [patternOf(english), words]),
    roles: done.ROLES,
    directions: done.DIRECTIONS,
  }
}

const DOING = /^(.+\.) The last action may or may not have happened: (.+)$/s
const ELEMENT = String.raw`[a-z]+ "[^"\n]*(?:"[^"\n]*)*?"|an? [a-z]+ without a name|the point -?[\d.]+, -?[\d.]+`
const HOLES: Record<string, string> = {
  x: '.+?',
  y: '.+?',
  z: '.+?',
  why: '.+',
  d: 'up|down|left|right',
  u: ELEMENT,
  t: `(?:${ELEMENT})(?:, (?:${ELEMENT}))*`,
}
const NEXT_ELEMENT = new RegExp(`(?:${ELEMENT})(?=, |$)`, 'g')
const END = /(?<=[.!?])\s+/g
/** Of one text. A longer one is what a page says, and is not looked through. */
const MOST_SENTENCES = 12
const LONGEST = 2000

/** A text of the server in the language of the page, as far as it begins with sentences of the server; what a page says
 *  stays. `tell` puts a step of the agent into that language. */
export function serverWords(
  text: string,
  lang: Lang = usePrefs.getState().lang,
  tell: (step: string) => string = (step) => step,
): string {
  if (lang !== 'ru' || !russian) return text
  const [, ended, step] = DOING.exec(text) ?? []
  if (ended && step)
    return `${serverWords(ended, lang)} Неизвестно, выполнено ли последнее действие: ${tell(step)}`
  const whole = bySentence(text, russian)
  if (whole || text.length > LONGEST) return whole ?? text
  for (const end of [...text.matchAll(END)].slice(0, MOST_SENTENCES)) {
    const known = sentence(text.slice(0, end.index), russian)
    if (known) return `${known}${end[0]}${serverWords(text.slice(end.index + end[0].length), lang)}`
  }
  return sentence(text, russian) ?? text
}

function sentence(text: string, book: Book): string | null {
  const known = bySentence(text, book)
  if (known) return known
  for (const [pattern, words] of book.templates) {
    const named = pattern.exec(text)?.groups
    if (named) return words.replace(/\{(\w+)\}/g, (_, hole: string) => filled(hole, named[hole]!, book))
  }
  return null
}

function bySentence(text: string, { sentences }: Book): string | null {
  const [number = ''] = /\d+(?:\.\d+)?/.exec(text) ?? []
  const numbered = number && sentences[text.replace(number, '{n}')]
  return sentences[text] ?? (numbered ? numbered.replace('{n}', number.replace('.', ',')) : null)
}

function filled(hole: string, value: string, book: Book): string {
  if (hole === 'why') return serverWords(value, 'ru')
  if (hole === 'd') return book.directions[value] ?? value
  if (hole !== 't' && hole !== 'u') return value
  return [...value.matchAll(NEXT_ELEMENT)].map(([element]) => elementWords(element, book)).join(', ')
}

function elementWords(element: string, { roles }: Book): string {
  if (element.startsWith('the point ')) return element.replace('the point', 'точка')
  const [, first, name = ''] = /^(\w+) (.+)$/s.exec(element) ?? []
  const isNamed = name.startsWith('"')
  const role = roles[(isNamed ? first : name.split(' ')[0]) ?? ''] ?? 'элемент'
  return isNamed ? `${role} «${name.slice(1, -1)}»` : `${role} без названия`
}

function patternOf(english: string): RegExp {
  const escaped = english.replace(/[.*+?^$()|[\]\\]/g, '\\$&')
  const named = escaped.replace(/\{(\w+)\}/g, (_, hole: string) => `(?<${hole}>${HOLES[hole]})`)
  return new RegExp(`^${named}$`, 's')
}
