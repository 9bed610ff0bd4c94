import { useQuery } from '@tanstack/react-query'
import { api } from '@/api/client'
import { usePrefs } from '@/lib/prefs'
import { BASE } from '@/lib/base'

/** Whether this browser can get messages while no page is open: over https, and on an iPhone as an installed app only. */
export const canPush = () => isSecureContext && 'serviceWorker' in navigator && 'PushManager' in window

const worker = () => navigator.serviceWorker.register(`${BASE}/sw.js?lang=${usePrefs.getState().lang}`)

export interface Subscription {
  address: string
  keys: { p256dh: string; auth: string }
}

/** Asks the person and then the browser's push service. Null if the person says no. */
export async function subscribe(): Promise<Subscription | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null
  const { public_key } = await api.pushKey()
  const { pushManager } = await worker()
  await navigator.serviceWorker.ready
  // The server may have got another key, for which the browser does not change a subscription.
  await (await pushManager.getSubscription())?.unsubscribe()
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: public_key })
  const { endpoint, keys } = made.toJSON()
  return { address: endpoint!, keys: keys as Subscription['keys'] }
}

async function ownSubscription() {
  const registration = canPush() ? await navigator.serviceWorker.getRegistration('/') : undefined
  return (await registration?.pushManager.getSubscription()) ?? null
}

export async function unsubscribe(): Promise<void> {
  await (await ownSubscription())?.unsubscribe()
}

/** What the server calls the subscription of this browser; null if it has none. */
async function ownDevice(): Promise<string | null> {
  const own = await ownSubscription()
  if (!own) return null
  void worker() // in the language of the page as it is now
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(own.endpoint))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

export const useOwnDevice = (): string | null =>
  useQuery({ queryKey: ['channels', 'device'], queryFn: ownDevice }).data ?? null

const BROWSERS: [RegExp, string][] = [
  [/Firefox\//, 'Firefox'],
  [/Edg\//, 'Edge'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const SYSTEMS: [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS/, 'macOS'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
]

/** `Chrome, Android`: a first name for this device. */
export function deviceName(agent = navigator.userAgent): string {
  const found = [BROWSERS, SYSTEMS].map((known) => known.find(([sign]) => sign.test(agent))?.[1])
  return found.filter(Boolean).join(', ')
}
