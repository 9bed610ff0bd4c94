import { useMemo } from 'react'
import { type Lang, usePrefs } from '@/lib/prefs'
import type { Dictionary, Like, Words } from './dictionary'
import { en, type Plural } from './en'
import { loadSentences } from './sentences'

export type Key = keyof typeof en
export type Vars = Record<string, string | number>
export type Translate = (key: Key, vars?: Vars) => string

const loaded: Record<Lang, Dictionary> = { en, ru: en }

/** English is always there; another language comes as its own chunk. */
export async function loadLanguage(lang: Lang): Promise<void> {
  if (lang !== 'ru') return
  const [{ ru }] = await Promise.all([import('./ru'), loadSentences(lang)])
  loaded.ru = ru
}

/** The words of a part of the page that comes as its own chunk, in all languages. */
export type Wordbook<W extends Words> = Record<Lang, Like<W>>

export const wordbook = <W extends Words>(english: W, russian: Like<NoInfer<W>>): Wordbook<W> => ({
  en: english as Like<W>,
  ru: russian,
})

const plurals: Record<Lang, Intl.PluralRules> = {
  en: new Intl.PluralRules('en'),
  ru: new Intl.PluralRules('ru'),
}

export function translatorOf(lang: Lang, own: Words = {}): (key: string, vars?: Vars) => string {
  return (key, vars = {}) => {
    const entry = own[key] ?? loaded[lang][key as Key] ?? key
    const text = typeof entry === 'string' ? entry : choose(entry, plurals[lang], vars)
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(vars[name] ?? whole))
  }
}

function choose(forms: Plural, plurals: Intl.PluralRules, vars: Vars): string {
  const count = Object.values(vars).find((value) => typeof value === 'number') ?? 0
  return forms[plurals.select(Number(count)) as keyof Plural] ?? forms.other
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
  return useMemo(() => translatorOf(lang, book[lang]), [lang, book])
}

/** For code outside of components. */
export const translate: Translate = (key, vars) => translatorOf(usePrefs.getState().lang)(key, vars)

/** Changes the language of the page, without a reload. */
export async function speak(lang: Lang): Promise<void> {
  await loadLanguage(lang)
  usePrefs.getState().set({ lang })
}
