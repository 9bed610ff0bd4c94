import { useCallback, useEffect, useRef, useState } from 'react'

/** `html` is for programs that paste it as it looks. */
export interface Copied {
  text: string
  html?: string
}

/** Copies on any origin: `navigator.clipboard` is missing on plain HTTP. */
export async function copyText(copied: string | Copied): Promise<boolean> {
  const { text, html }: Copied = typeof copied === 'string' ? { text: copied } : copied
  if (navigator.clipboard) {
    const isDone = await write(text, html).then(
      () => true,
      () => false,
    )
    if (isDone) return true
  }
  return copyBySelection(text, html)
}

function write(text: string, html: string | undefined): Promise<void> {
  if (html === undefined || typeof ClipboardItem === 'undefined') return navigator.clipboard.writeText(text)
  const kinds = { 'text/plain': text, 'text/html': html }
  const blobs = Object.entries(kinds).map(([type, part]) => [type, new Blob([part], { type })])
  return navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))])
}

function copyBySelection(text: string, html: string | undefined): boolean {
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'sr-only'
  document.body.append(area)
  area.select()
  const onCopy = (event: ClipboardEvent) => {
    if (html === undefined) return
    event.preventDefault()
    event.clipboardData?.setData('text/plain', text)
    event.clipboardData?.setData('text/html', html)
  }
  addEventListener('copy', onCopy)
  const isDone = document.execCommand('copy')
  removeEventListener('copy', onCopy)
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isDone
}

/** `[copied, copy]`; `copied` is true for two seconds. */
export function useCopy(): [boolean, (copied: string | Copied) => void] {
  const [copied, setCopied] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = useCallback(async (copied: string | Copied) => {
    if (!(await copyText(copied))) return
    setCopied(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setCopied(false), 2000)
  }, [])
  return [copied, (what) => void copy(what)]
}
