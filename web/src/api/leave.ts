import { api } from './client'
import { queryClient } from './queries'

/** Signs out and forgets what was read. */
export async function leave(): Promise<void> {
  await api.logout().catch(() => undefined)
  queryClient.clear()
  location.assign('/login')
}
