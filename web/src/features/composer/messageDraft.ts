import { useCallback, useEffect, useRef, useState } from 'react'
import { recallHere, rememberHere } from '@/lib/storage'

/** Milliseconds after the last key at which a draft is kept: a long one takes a while. */
const PAUSE = 300

/** The unsent text of a session in this tab, kept over reloads; a new tab begins with the newest one of any. */
export function useDraft(sessionId: string | null): [string, (text: string) => void] {
  const key = `draft.${sessionId ?? 'new'}`
  const [text, setText] = useState(() => recallHere(key) ?? '')
  const unkept = useRef<{ key: string; text: string } | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const keep = useCallback(() => {
    clearTimeout(timer.current)
    if (unkept.current) rememberHere(unkept.current.key, unkept.current.text)
    unkept.current = null
  }, [])
  useEffect(() => {
    addEventListener('pagehide', keep)
    return () => {
      removeEventListener('pagehide', keep)
      keep()
    }
  }, [keep])
  const change = useCallback(
    (next: string) => {
      setText(next)
      unkept.current = { key, text: next }
      clearTimeout(timer.current)
      if (next === '') keep()
      else timer.current = setTimeout(keep, PAUSE)
    },
    [key, keep],
  )
  return [text, change]
}
