import { useCallback, useState } from 'react'
import { recall, remember } from '@/lib/storage'

/** The unsent text of a session, kept over reloads. */
export function useDraft(sessionId: string | null): [string, (text: string) => void] {
  const key = `draft.${sessionId ?? 'new'}`
  const [text, setText] = useState(() => recall(key) ?? '')
  const change = useCallback(
    (next: string) => {
      setText(next)
      remember(key, next)
    },
    [key],
  )
  return [text, change]
}
