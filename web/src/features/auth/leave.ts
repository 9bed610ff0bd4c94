import { api } from '@/api/client'
import { queryClient } from '@/api/queries'

/** Signs out and forgets what was read. */
export async function leave(): Promise<void> {
  await api.logout().catch(() => undefined)
  queryClient.clear()
  location.assign('/login')
}
