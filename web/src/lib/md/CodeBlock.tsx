import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useT } from '@/i18n'
import { useCopy } from '../copy'

interface Props {
  code: string
  lang: string
  /** More text may follow: not coloured yet. */
  open?: boolean
}

export function CodeBlock({ code, lang, open = false }: Props) {
  const t = useT()
  const name = lang.split(/[\s,{]/)[0] ?? ''
  const html = useColours(code, name, open)
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
      <pre tabIndex={0} role="group" aria-label={name || t('code')}>
        {html === null ? <code>{code}</code> : <code dangerouslySetInnerHTML={{ __html: html }} />}
      </pre>
    </figure>
  )
}

/** highlight.js escapes what it colours; the chunk is loaded with the first closed block. */
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
