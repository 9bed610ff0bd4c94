import { Check, Copy } from 'lucide-react'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useT } from '@/i18n'
import { useCopy } from '../copy'
import { growText } from '../growText'

interface Props {
  code: string
  lang: string
  /** More text may follow: not coloured yet. */
  open?: boolean
}

export function CodeBlock({ code, lang, open = false }: Props) {
  const t = useT()
  const name = lang.split(/[\s,{]/)[0] ?? ''
  const box = useRef<HTMLElement>(null)
  useCode(box, code, useColours(code, name, open))
  const [copied, copy] = useCopy()
  return (
    <figure className="code overflow-hidden rounded-md border border-line bg-code">
      <figcaption className="flex items-center justify-between border-b border-line py-1 pr-1 pl-3 text-2xs text-faint">
        <span>{name || t('code')}</span>
        <button
          type="button"
          onClick={() => copy(code)}
          className="touch flex h-6 items-center gap-1 rounded-md px-2 hover:bg-s2 hover:text-text"
        >
          {copied ? <Check size={13} aria-hidden /> : <Copy size={13} aria-hidden />}
          {copied ? t('copied') : t('copy')}
        </button>
      </figcaption>
      <pre tabIndex={0} dir="ltr" role="group" aria-label={name || t('code')}>
        <code ref={box} />
      </pre>
    </figure>
  )
}

/** Text is added at its end and coloured when nothing of it is selected: a selection outlives both. */
function useCode(box: RefObject<HTMLElement | null>, code: string, html: string | null): void {
  useLayoutEffect(() => {
    if (html === null && box.current) growText(box.current, code)
  }, [box, code, html])
  useLayoutEffect(() => {
    const element = box.current
    if (html === null || !element) return
    const draw = () => {
      if (isSelectedIn(element)) return
      // highlight.js escapes what it colours
      element.innerHTML = html
      removeEventListener('selectionchange', draw, true)
    }
    addEventListener('selectionchange', draw, true)
    draw()
    return () => removeEventListener('selectionchange', draw, true)
  }, [box, html])
}

function isSelectedIn(element: Element): boolean {
  const selection = getSelection()
  return !!selection && !selection.isCollapsed && selection.containsNode(element, true)
}

/** The chunk is loaded with the first closed block. */
function useColours(code: string, lang: string, open: boolean): string | null {
  const [html, setHtml] = useState<string | null>(null)
  useEffect(() => {
    if (open || !lang) return setHtml(null)
    let isCurrent = true
    import('./hl').then(({ colour }) => isCurrent && setHtml(colour(code, lang))).catch(() => undefined) // such as offline: it stays without colours
    return () => {
      isCurrent = false
    }
  }, [code, lang, open])
  return open ? null : html
}
