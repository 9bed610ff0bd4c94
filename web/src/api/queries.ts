import {
  type InfiniteData,
  QueryClient,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect } from 'react'
import { useStore } from 'zustand'
import { showZone } from '@/lib/time'
import type { SessionChanged } from '@/stream/events'
import { storeOf } from '@/stream/store'
import { api } from './client'
import { ApiError } from './http'
import type { Config, OpenQuestion, Page, Session, SessionStatus } from './types'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      refetchOnWindowFocus: false,
      retry: (count, error) =>
        count < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
  },
})

/** Sessions whose `POST` is on its way: reading them waits for it. */
const arriving = new Map<string, Promise<unknown>>()

export function whileArriving(id: string, creation: Promise<unknown>): void {
  arriving.set(id, creation)
  void creation.catch(() => undefined).finally(() => arriving.delete(id))
}

/** Milliseconds between two tries to reach a server that was away when the page was opened. */
const TRY_AGAIN = 3000

export const useMe = () =>
  useQuery({
    queryKey: ['me'],
    queryFn: () => api.me().then(() => true),
    staleTime: Infinity,
    retry: 1,
    refetchInterval: ({ state: { error } }) =>
      error && !(error instanceof ApiError && error.status === 401) ? TRY_AGAIN : false,
  })

export const useConfig = () =>
  useQuery({ queryKey: ['config'], queryFn: readConfig, staleTime: Infinity }).data

async function readConfig(): Promise<Config> {
  const config = await api.config()
  showZone(config.time_zone)
  return config
}

type Pages = InfiniteData<Page<Session>>

export function useSessions(q: string) {
  return useInfiniteQuery({
    queryKey: ['sessions', q],
    queryFn: ({ pageParam }) => api.sessions({ q, cursor: pageParam, limit: 50 }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  })
}

/** The open questions of all sessions, the next to expire first. */
export const useQuestions = () =>
  useInfiniteQuery({
    queryKey: ['questions'],
    queryFn: ({ pageParam }) => api.questions(pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  })

export const useQuestionCount = (): number => useQuestions().data?.pages[0]?.total ?? 0

/** What was decided since midnight here, the newest first. */
export const useDecidedToday = () =>
  useQuery({
    queryKey: ['questions', 'today'],
    queryFn: () => api.decidedSince(new Date(new Date().setHours(0, 0, 0, 0)).toISOString()),
  }).data?.items ?? []

export const refreshQuestions = (): void => void queryClient.invalidateQueries({ queryKey: ['questions'] })

export const refreshNotes = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['notes'] })

const sessionQuery = (id: string) => ({
  queryKey: ['session', id],
  queryFn: ({ signal }: { signal: AbortSignal }) => readSession(id, signal),
  // Its store may have been dropped from memory since.
  staleTime: () => (storeOf(id).getState().loaded ? Infinity : 0),
})

/** Milliseconds for which a session that was read in advance is taken as it is. */
const ADVANCE = 10_000

/** Reads a session that is likely to be opened next. Nothing happens if it cannot be read. */
export function readAhead(id: string): void {
  void queryClient.prefetchQuery({ ...sessionQuery(id), gcTime: ADVANCE, retry: false })
}

/** Reads a session into its store, again whenever the stream says that something was missed. */
export function useSession(id: string) {
  const client = useQueryClient()
  const query = useQuery({ ...sessionQuery(id), gcTime: 0 })
  const isStale = useStore(storeOf(id), (state) => state.stale)
  useEffect(() => {
    if (isStale) void client.invalidateQueries({ queryKey: ['session', id] })
  }, [isStale, id, client])
  return query
}

/** The session as it was read last; reads nothing itself. */
export const useKnownSession = (id: string): Session | undefined =>
  useQuery({ ...sessionQuery(id), gcTime: 0, enabled: false }).data

async function readSession(id: string, signal: AbortSignal): Promise<Session> {
  await arriving.get(id)?.catch(() => undefined)
  const store = storeOf(id).getState()
  const newer = store.beginRead()
  try {
    const session = await api.session(id)
    if (!signal.aborted) store.load(session, newer)
    return session
  } finally {
    store.endRead(newer)
  }
}

/** The sessions that could not be read while the server was away. */
export const rereadFailed = (): void =>
  void queryClient.invalidateQueries({
    queryKey: ['session'],
    predicate: ({ state: { error } }) =>
      error !== null && !(error instanceof ApiError && error.status === 404),
  })

/** A session that could not be read because it was not there yet. */
export function rereadIfFailed(id: string): void {
  const queryKey = ['session', id]
  if (queryClient.getQueryState(queryKey)?.status === 'error')
    void queryClient.invalidateQueries({ queryKey })
}

export function refreshLists(): void {
  void queryClient.invalidateQueries({ queryKey: ['sessions'] })
}

/** Changes a session in every list it is shown in; `null` takes it away. */
export function patchCached(id: string, change: (session: Session) => Session | null): boolean {
  let isKnown = false
  queryClient.setQueriesData<Pages>({ queryKey: ['sessions'] }, (data) => {
    if (!data) return data
    const pages = data.pages.map((page) => ({
      ...page,
      items: page.items.flatMap((session) => {
        if (session.id !== id) return [session]
        isKnown = true
        const changed = change(session)
        return changed ? [changed] : []
      }),
    }))
    return { ...data, pages }
  })
  queryClient.setQueryData<Session>(['session', id], (session) =>
    session ? (change(session) ?? session) : session,
  )
  return isKnown
}

/** The inbox is read again when a session asks, or is no longer as the inbox shows it. */
export function applyToQuestions({ session_id: id, status }: SessionChanged): void {
  const known = queryClient.getQueryData<InfiniteData<Page<OpenQuestion>>>(['questions'])
  const isShown = known?.pages.some(({ items }) => items.some((one) => one.session_id === id))
  // What is on its way may have been read before this happened.
  const isReading = queryClient.isFetching({ queryKey: ['questions'] }) > 0
  if (status === 'waiting_user' || isShown || isReading) refreshQuestions()
}

/** Folds a `session` event into the lists. */
export function applySessionChange(changed: SessionChanged): void {
  const isKnown = patchCached(changed.session_id, (session) => {
    if (changed.deleted) return null
    return {
      ...session,
      status: changed.status as SessionStatus,
      title: changed.title,
      unread: changed.unread ?? false,
      updated_at: changed.updated_at ?? session.updated_at,
      usage: changed.usage ?? session.usage,
      note: changed.note ?? null,
      icon: changed.icon ?? session.icon,
      queue_place: changed.status === 'queued' ? (changed.queue_place ?? session.queue_place) : null,
    }
  })
  // A session that was only read in advance gets no events: it is read again when it is opened.
  void queryClient.invalidateQueries({ queryKey: ['session', changed.session_id], refetchType: 'none' })
  const isReading = queryClient.isFetching({ queryKey: ['sessions'] }) > 0
  // A list on its way may have been read before this happened, and would put the old state back.
  if (isReading || (!isKnown && !changed.deleted)) refreshLists()
}
