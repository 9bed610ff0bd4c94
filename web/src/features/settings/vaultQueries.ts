import { useQuery } from '@tanstack/react-query'
import { queryClient } from '@/api/queries'
import type { StoredLogin, VaultStatus } from '@/api/types'
import { vaultApi } from '@/api/vault'
import { toast } from '@/ui/Toasts'

const KEY = ['vault']

export const useLogins = () =>
  useQuery<{ items: StoredLogin[] }>({ queryKey: [...KEY, 'logins'], queryFn: vaultApi.logins, retry: false })

export const useVault = () =>
  useQuery<VaultStatus>({ queryKey: [...KEY, 'status'], queryFn: vaultApi.status, retry: false })

/** Reads all of it again: an unlocked vault shows accounts, and each change is in the log. */
export const refreshVault = (): Promise<void> => queryClient.invalidateQueries({ queryKey: KEY })

/** Does it and reads again; false, and a message, if it could not be done. */
export async function changeVault(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action()
    return true
  } catch (error) {
    toast((error as Error).message)
    return false
  } finally {
    await refreshVault()
  }
}
