import { queryClient } from '@/api/queries'

export const filesKey = (sessionId: string) => ['files', sessionId]

export const refreshFiles = (sessionId: string): void =>
  void queryClient.invalidateQueries({ queryKey: filesKey(sessionId) })
