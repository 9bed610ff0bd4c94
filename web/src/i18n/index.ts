import { useMemo } from 'react'
import { type Lang, usePrefs } from '@/lib/prefs'
import { en, type Plural } from './en'

export type Key = keyof typeof en
/** Every key of English, counted where English counts: a missing one does not compile. */
export type Dictionary = { [K in Key]: (typeof en)[K] extends string ? string : Plural }
export type Vars = Record<string, string | number>
export type Translate = (key: Key, vars?: Vars) => string

const loaded: Record<Lang, Dictionary> = { en, ru: en }

/** English is always there; another language comes as its own chunk. */
export async function loadLanguage(lang: Lang): Promise<void> {
  if (lang === 'ru') loaded.ru = (await import('./ru')).ru
}

export function translatorOf(lang: Lang): Translate {
  const plurals = new Intl.PluralRules(lang)
  return (key, vars = {}) => {
    const entry = loaded[lang][key]
    const text = typeof entry === 'string' ? entry : choose(entry, plurals, vars)
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

/** For code outside of components. */
export const translate: Translate = (key, vars) => translatorOf(usePrefs.getState().lang)(key, vars)

/** Changes the language of the page, without a reload. */
export async function speak(lang: Lang): Promise<void> {
  await loadLanguage(lang)
  usePrefs.getState().set({ lang })
}
