import { api } from './client'
import { queryClient } from './queries'
import { BASE } from '@/lib/base'

/** Signs out and forgets what was read. */
export async function leave(): Promise<void> {
  await api.logout().catch(() => undefined)
  queryClient.clear()
  location.assign(`${BASE}/login?left`)
}
