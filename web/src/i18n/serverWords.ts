import { type Lang, usePrefs } from '@/lib/prefs'

type Book = typeof import('./serverRu')
let russian: Book | null = null

export async function loadServerWords(): Promise<void> {
  russian = await import('./serverRu')
}

const DOING = /^(.+\.) The last action may or may not have happened: (.+)$/s

/** A sentence of the server in the language of the page. Words that are not its own, such as a page's, stay. `tell` puts
 *  a step of the agent into that language. */
export function serverWords(
  text: string,
  lang: Lang = usePrefs.getState().lang,
  tell: (step: string) => string = (step) => step,
): string {
  if (lang !== 'ru' || !russian) return text
  const { SENTENCES, TEMPLATES, PATTERNS } = russian
  if (SENTENCES[text]) return SENTENCES[text]
  const [, ended, step] = DOING.exec(text) ?? []
  if (ended && step)
    return `${serverWords(ended, lang)} Неизвестно, выполнено ли последнее действие: ${tell(step)}`
  const [number = ''] = /\d+/.exec(text) ?? []
  const numbered = number && SENTENCES[text.replace(number, '{n}')]
  if (numbered) return numbered.replace('{n}', number)
  const named = fillTemplate(text, TEMPLATES, lang)
  if (named) return named
  const [pattern, words] = PATTERNS.find(([pattern]) => pattern.test(text)) ?? []
  return pattern && words ? text.replace(pattern, words) : text
}

function fillTemplate(text: string, templates: Book['TEMPLATES'], lang: Lang): string | null {
  for (const [english, words] of Object.entries(templates)) {
    const pattern = english.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(x|why)\}/g, '(?<$1>.+)')
    const named = new RegExp(`^${pattern}$`, 's').exec(text)?.groups
    if (named) return words.replace(/\{(x|why)\}/g, (_, name: string) => serverWords(named[name]!, lang))
  }
  return null
}
