import { useEffect } from 'react'
import { api } from '@/api/client'
import { useConfig } from '@/api/queries'
import { newId } from '@/lib/ids'
import { apiAddress } from '@/lib/base'

/** Milliseconds; the server believes it for twice as long. */
const REPEAT = 45_000

/** Reports to the server whether this page is visible, if a channel depends on it. */
export function usePresence(): void {
  const isWanted = useConfig()?.tells_presence ?? false
  useEffect(() => {
    if (!isWanted) return
    const page = newId()
    const hide = () => {
      const body = JSON.stringify({ page, visible: false })
      navigator.sendBeacon(apiAddress('/presence'), new Blob([body], { type: 'application/json' }))
    }
    // A lost one is made good by the next, or by the messages that the person gets.
    const tell = () => (document.hidden ? hide() : void api.tellPresence(page).catch(() => undefined))
    const repeat = () => document.hidden || tell()
    tell()
    const timer = setInterval(repeat, REPEAT)
    document.addEventListener('visibilitychange', tell)
    addEventListener('pagehide', hide)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', tell)
      removeEventListener('pagehide', hide)
      hide()
    }
  }, [isWanted])
}
