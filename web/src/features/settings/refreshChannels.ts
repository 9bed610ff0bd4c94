import { useQueryClient } from '@tanstack/react-query'

export function useRefresh(): () => Promise<unknown> {
  const client = useQueryClient()
  return () =>
    // The configuration says whether a channel wants to know if this page is visible.
    Promise.all(['channels', 'config'].map((name) => client.invalidateQueries({ queryKey: [name] })))
}
