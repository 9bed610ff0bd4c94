import { useMemo } from 'react'
import { type Lang, usePrefs } from '@/lib/prefs'
import { en, type Plural } from './en'
import { loadSentences } from './sentences'

export type Key = keyof typeof en
export type Vars = Record<string, string | number>
export type Translate = (key: Key, vars?: Vars) => string
export type Words = Record<string, string | Plural>

/** The words of a part of the page in English; other languages have them under its name in `wording/web`. */
export interface Wordbook<W extends Words> {
  name: string
  en: W
}
export const wordbook = <const W extends Words>(name: string, en: W): Wordbook<W> => ({ name, en })

/** The words that many parts use. */
const page = wordbook('page', en)

type Dictionary = Record<string, Words>
const files = import.meta.glob<Dictionary>('../../../wording/web/*.json', { import: 'default' })
const loaded: Partial<Record<Lang, Dictionary>> = {}

/** English is in the code; another language comes as its own chunk. */
export async function loadLanguage(lang: Lang): Promise<void> {
  if (lang === 'en') return
  const [dictionary] = await Promise.all([
    files[`../../../wording/web/${lang}.json`]?.(),
    loadSentences(lang),
  ])
  loaded[lang] = dictionary
}

/** The words of a book in a language, as far as it is loaded: else in English. */
export const wordsOf = (book: Wordbook<Words>, lang: Lang): Words => loaded[lang]?.[book.name] ?? book.en

export function translatorOf(lang: Lang, own: Words = {}): (key: string, vars?: Vars) => string {
  const common = wordsOf(page, lang)
  return (key, vars = {}) => {
    const entry = own[key] ?? common[key] ?? key
    const text = typeof entry === 'string' ? entry : choose(entry, lang, vars)
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(vars[name] ?? whole))
  }
}

function choose(forms: Plural, lang: Lang, vars: Vars): string {
  const count = Object.values(vars).find((value) => typeof value === 'number') ?? 0
  return forms[new Intl.PluralRules(lang).select(Number(count)) as keyof Plural] ?? forms.other
}

export const useLang = (): Lang => usePrefs((prefs) => prefs.lang)

export function useT(): Translate {
  const lang = useLang()
  return useMemo(() => translatorOf(lang), [lang])
}

/** The words of a chunk together with those of the page. */
export function useWords<W extends Words>(
  book: Wordbook<W>,
): (key: Key | (keyof W & string), vars?: Vars) => string {
  const lang = useLang()
  return useMemo(() => translatorOf(lang, wordsOf(book, lang)), [lang, book])
}

/** For code outside of components. */
export const translate: Translate = (key, vars) => translatorOf(usePrefs.getState().lang)(key, vars)

/** Changes the language of the page, without a reload. */
export async function speak(lang: Lang): Promise<void> {
  await loadLanguage(lang)
  usePrefs.getState().set({ lang })
}
