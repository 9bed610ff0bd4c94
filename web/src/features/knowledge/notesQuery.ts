import { useQuery } from '@tanstack/react-query'
import { api } from '@/api/client'
import { queryClient, refreshNotes } from '@/api/queries'
import type { Note } from '@/api/types'
import { toast } from '@/ui/Toasts'

/** All notes, kept and proposed ones. */
export const useNotes = () => useQuery({ queryKey: ['notes'], queryFn: api.notes })

/** Does it, says why it could not be done, and reads the notes again. */
export async function changeNotes(action: () => Promise<unknown>): Promise<void> {
  try {
    await action()
  } catch (error) {
    toast((error as Error).message)
  }
  await refreshNotes()
}

/** Shows at once what a tap has done, before the server has answered. */
export function forgetNote(id: string): void {
  queryClient.setQueryData<{ items: Note[] }>(
    ['notes'],
    (known) => known && { items: known.items.filter((note) => note.id !== id) },
  )
}
