import { BASE } from '@/lib/base'
import { useEffect } from 'react'
import { create } from 'zustand'

export type Sign = 'none' | 'busy' | 'alert'

const ICONS: Record<Sign, string> = {
  none: `${BASE}/favicon.svg`,
  busy: `${BASE}/favicon-busy.svg`,
  alert: `${BASE}/favicon-alert.svg`,
}
const MARKS: Record<Sign, string> = { none: '', busy: '● ', alert: '⚠ ' }

/** How many questions are open in all sessions. */
export const useOpenQuestions = create<{ count: number }>(() => ({ count: 0 }))

/** The tab's title and icon show what a session needs, and how many sessions wait for an answer. */
export function useTitle(title: string, sign: Sign): void {
  const count = useOpenQuestions((state) => state.count)
  useEffect(() => {
    document.title = `${countMark(count, sign)}${MARKS[sign]}${title}`
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    const wanted = iconOf(count, sign)
    if (icon && icon.getAttribute('href') !== wanted) icon.href = wanted
  }, [title, sign, count])
}

/** One open question on the page that shows it has no number: its sign is enough. */
const countMark = (count: number, sign: Sign) => (count > (sign === 'alert' ? 1 : 0) ? `(${count}) ` : '')

function iconOf(count: number, sign: Sign): string {
  if (count > 1) return numberedIcon(count > 9 ? '9+' : String(count))
  return ICONS[count ? 'alert' : sign]
}

const numberedIcon = (text: string) =>
  `data:image/svg+xml,${encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#16213F"/>' +
      '<circle cx="16" cy="16" r="14" fill="#B3261E" stroke="#fff" stroke-width="2"/>' +
      `<text x="16" y="23" font-family="sans-serif" font-size="${text.length > 1 ? 15 : 20}" font-weight="700" fill="#fff" text-anchor="middle">${text}</text></svg>`,
  )}`
