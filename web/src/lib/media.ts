import { useSyncExternalStore } from 'react'

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (tell) => {
      const list = matchMedia(query)
      list.addEventListener('change', tell)
      return () => list.removeEventListener('change', tell)
    },
    () => matchMedia(query).matches,
  )
}

export const useIsPhone = () => useMedia('(max-width: 767.9px)')
export const useIsWide = () => useMedia('(min-width: 1200px)')
export const isTouch = () => matchMedia('(pointer: coarse)').matches

export function useIsVisible(): boolean {
  return useSyncExternalStore(
    (tell) => {
      document.addEventListener('visibilitychange', tell)
      return () => document.removeEventListener('visibilitychange', tell)
    },
    () => !document.hidden,
  )
}
