import { type Lang, usePrefs } from '@/lib/prefs'
import type { Parts } from '@/api/types'

/** A sentence of a language, or its forms by plural category; its value `n` chooses the form. */
type Entry = string | Partial<Record<Intl.LDMLPluralRule, string>>
type Book = Record<string, Entry>
type Part = Parts[number]
type Value = Exclude<Part, string>['values'][string]

/** The catalogue that the server makes its English texts from, `wording/catalogue.py`: one file for each language. */
const files = import.meta.glob<Book>('../../../wording/sentences/*.json', { import: 'default' })
const books: Partial<Record<Lang, Book>> = {}

/** English is in the texts themselves. */
export async function loadSentences(lang: Lang): Promise<void> {
  if (lang !== 'en') books[lang] = await files[`../../../wording/sentences/${lang}.json`]?.()
}

/** A text of the server in a language, as far as its parts are known there: else, and without parts, as it is. */
export function inLanguage(
  text: string,
  parts: Parts | null | undefined,
  lang: Lang = usePrefs.getState().lang,
): string {
  const book = books[lang]
  return (book && parts && joined(parts, book, lang)) ?? text
}

function joined(parts: Parts, book: Book, lang: Lang): string | null {
  const words = parts.map((part) => (typeof part === 'string' ? part : sentence(part, book, lang)))
  return words.includes(null) ? null : words.join('')
}

function sentence({ code, values }: Exclude<Part, string>, book: Book, lang: Lang): string | null {
  const entry = book[code]
  const form = typeof entry === 'object' ? formOf(entry, values.n, lang) : entry
  let isWhole = form !== undefined
  const filled = form?.replace(/\{(\w+)\}/g, (_, name: string) => {
    const words = shown(values[name], book, lang)
    isWhole &&= words !== null
    return words ?? ''
  })
  return isWhole && filled !== undefined ? filled : null
}

const formOf = (forms: Exclude<Entry, string>, number: Value | undefined, lang: Lang): string | undefined =>
  forms[new Intl.PluralRules(lang).select(Number(number))] ?? forms.other

function shown(value: Value | undefined, book: Book, lang: Lang): string | null {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value).replace('.', String(book.decimal_sign))
  return value ? joined(value, book, lang) : null
}
