import { useCallback, useEffect, useRef, useState } from 'react'

/** Copies on any origin: `navigator.clipboard` is missing on plain HTTP. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    const isDone = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
    if (isDone) return true
  }
  return copyBySelection(text)
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'sr-only'
  document.body.append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isDone
}

/** `[copied, copy]`; `copied` is true for two seconds. */
export function useCopy(): [boolean, (text: string) => void] {
  const [copied, setCopied] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = useCallback(async (text: string) => {
    if (!(await copyText(text))) return
    setCopied(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setCopied(false), 2000)
  }, [])
  return [copied, (text) => void copy(text)]
}
