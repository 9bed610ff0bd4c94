import { useEffect } from 'react'
import { api } from '@/api/client'
import { queryClient } from '@/api/queries'
import type { Device } from '@/api/types'
import { ownZone } from '@/lib/time'

const deviceNow = (): Device => ({ device_zone: ownZone(), device_locale: navigator.language })

/** Sends the server the zone and the language of this browser: at once, and when they have changed. */
export function useDevice(): void {
  useEffect(() => {
    let told = ''
    const tell = () => {
      const device = deviceNow()
      if (document.hidden || told === JSON.stringify(device)) return
      told = JSON.stringify(device)
      api.tellDevice(device).then(
        (settings) => queryClient.setQueryData(['settings'], settings),
        () => undefined, // the server keeps what it knew
      )
    }
    tell()
    document.addEventListener('visibilitychange', tell)
    return () => document.removeEventListener('visibilitychange', tell)
  }, [])
}
