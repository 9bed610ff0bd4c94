import { create } from 'zustand'
import { persist } from 'zustand/middleware'

export type Theme = 'system' | 'light' | 'dark'
/** The languages of the page, as each calls itself. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', ru: 'Русский' } as const
export type Lang = keyof typeof LANGUAGES

interface Prefs {
  theme: Theme
  lang: Lang
  sidebar: boolean
  panel: boolean
  panelWidth: number
  /** Percent of the page without the sidebar that the browser takes from the chat. */
  stageShare: number
  /** The chat is a strip next to the browser. */
  chatStrip: boolean
  shortcuts: boolean
  sound: boolean
  /** The offer of notifications was answered, either way. */
  notifyAnswered: boolean
  /** The question at which it was offered. */
  notifyOfferedAt: string | null
  set(change: Partial<Omit<Prefs, 'set'>>): void
}

/** The first language of this browser that the page has. */
const firstLang =
  navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase() as Lang).find((tag) => tag in LANGUAGES) ??
  'en'

/** What this browser remembers about how the page looks. `public/theme-init.js` reads it before the first paint. */
export const usePrefs = create<Prefs>()(
  persist(
    (set) => ({
      theme: 'system',
      lang: firstLang,
      sidebar: true,
      panel: true,
      panelWidth: 360,
      stageShare: 60,
      chatStrip: false,
      shortcuts: true,
      sound: false,
      notifyAnswered: false,
      notifyOfferedAt: null,
      set: (change) => set(change),
    }),
    { name: 'pilothouse.prefs' },
  ),
)

/** Keeps `<html>` in step with theme and language. */
export function applyPrefs(): void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const apply = () => {
    const { theme, lang } = usePrefs.getState()
    const isDark = theme === 'dark' || (theme === 'system' && system.matches)
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
    document.documentElement.lang = lang
  }
  usePrefs.subscribe(apply)
  system.addEventListener('change', apply)
  apply()
}
