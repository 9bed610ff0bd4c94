import { useEffect } from 'react'

export type Sign = 'none' | 'busy' | 'alert'

const ICONS: Record<Sign, string> = {
  none: '/favicon.svg',
  busy: '/favicon-busy.svg',
  alert: '/favicon-alert.svg',
}
const MARKS: Record<Sign, string> = { none: '', busy: '● ', alert: '⚠ ' }

/** The tab's title and icon tell from afar what a session needs. */
export function useTitle(title: string, sign: Sign): void {
  useEffect(() => {
    document.title = `${MARKS[sign]}${title}`
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (icon && !icon.href.endsWith(ICONS[sign])) icon.href = ICONS[sign]
  }, [title, sign])
}
