import { createContext, useContext } from 'react'
import { createStore, type StoreApi, useStore } from 'zustand'
import type { Accepted, PointedPlace, ResultSchema, SendMode, SessionDetail } from '@/api/types'
import { countSubscribers, Recent } from '@/lib/recent'
import type { LiveEvent } from './events'
import { hydrate } from './hydrate'
import { EMPTY, isOpen, type Live } from './live'
import { type Draft, draftOf, finish, put } from './draft'
import { closeQuestion } from './questions'
import { dropFollowing, isAfter, keepMessage, newRun, reduce } from './reducer'
import type { UserRow } from './rows'

/** A message that the server does not have yet. */
interface Proposed {
  text: string
  mode: SendMode | null
  schema: ResultSchema | null
  marks?: PointedPlace[]
}

interface Actions {
  receive(events: LiveEvent[]): void
  /** Before the session is read: collects the events from now on, which may be newer than the answer. */
  beginRead(): LiveEvent[]
  /** After it was read, or could not be: nothing more is collected. */
  endRead(newer: LiveEvent[]): void
  load(session: SessionDetail, newer: LiveEvent[]): void
  /** Shows a message before the server has it. */
  propose(clientId: string, proposed: Proposed): void
  /** `isEdit`: what followed the message is gone, also if its words are the same. */
  accept(accepted: Accepted, isEdit?: boolean): void
  /** `waits`: it is sent when the server can be reached again. */
  reject(clientId: string, failure: string, waits: boolean): void
  withdraw(clientId: string): void
  answer(reference: string, yes: boolean, note: string | null): void
}

export type SessionState = Live & Actions
export type SessionStore = StoreApi<SessionState>

interface Entry {
  store: SessionStore
  isInUse: () => boolean
}

/** Closed sessions that are kept in memory. An older one is read again when it is opened. */
export const KEPT_SESSIONS = 20

const stores = new Recent<Entry>(KEPT_SESSIONS, create, ({ isInUse }) => isInUse())

export const storeOf = (sessionId: string): SessionStore => stores.of(sessionId).store

/** The store stays: a page may be showing it. */
export const emptyStore = (sessionId: string) => stores.peek(sessionId)?.store.setState(EMPTY)

function create(): Entry {
  const reads = new Set<LiveEvent[]>()
  const store = createStore<SessionState>((set, get) => ({
    ...EMPTY,
    receive: (events) => {
      for (const newer of reads) newer.push(...events.filter((event) => isAfter(event, get())))
      set((state) => reduce(state, events))
    },
    beginRead: () => {
      const newer: LiveEvent[] = []
      reads.add(newer)
      set({ stale: false })
      return newer
    },
    endRead: (newer) => void reads.delete(newer),
    load: (session, newer) => set((state) => hydrate(state, session, newer)),
    propose: (clientId, proposed) => set((state) => propose(state, clientId, proposed)),
    accept: (accepted, isEdit = false) =>
      set((state) => change(state, (draft) => accept(draft, accepted, isEdit))),
    reject: (clientId, failure, waits) =>
      set((state) => deliver(state, clientId, { delivery: waits ? 'waiting' : 'failed', failure })),
    withdraw: (clientId) => set((state) => change(state, (draft) => delete draft.rows[`user:${clientId}`])),
    answer: (reference, yes, note) =>
      set((state) =>
        change(state, (draft) => closeQuestion(draft, reference, { answer: yes ? 'yes' : 'no', note })),
      ),
  }))
  const subscribers = countSubscribers(store)
  return { store, isInUse: () => subscribers() > 0 || reads.size > 0 || hasUnsent(store.getState()) }
}

const hasUnsent = ({ rows }: Live): boolean =>
  Object.values(rows).some((row) => row.kind === 'user' && row.delivery !== 'sent')

function change(state: Live, edit: (draft: Draft) => unknown): Live {
  const draft = draftOf(state)
  edit(draft)
  return finish(draft)
}

/** The answer of the server may come before or after the first events of the run. */
function accept(draft: Draft, { message, run }: Accepted, isEdit: boolean): void {
  keepMessage(draft, message)
  if (isEdit) dropFollowing(draft, message.seq, run.id)
  if (draft.run?.id === run.id || isOpen(draft.run)) return
  draft.run = { ...newRun(run.id), status: run.status, startedAt: run.started_at ?? new Date().toISOString() }
  draft.usage = null
}

function propose(state: Live, clientId: string, proposed: Proposed): Live {
  const { text, mode, schema, marks: pointed = [] } = proposed
  const draft = draftOf(state)
  draft.born += 1
  const row: UserRow = {
    kind: 'user',
    id: `user:${clientId}`,
    runId: null,
    seq: null,
    born: draft.born,
    after: 0,
    at: new Date().toISOString(),
    text,
    messageId: null,
    clientId,
    delivery: 'sending',
    mode,
    isRead: null,
    failure: null,
    schema,
    pointed,
  }
  put(draft, row)
  return finish(draft)
}

function deliver(state: Live, clientId: string, news: Partial<UserRow>): Live {
  const row = state.rows[`user:${clientId}`]
  if (row?.kind !== 'user' || row.delivery === 'sent') return state
  return { ...state, rows: { ...state.rows, [row.id]: { ...row, ...news } } }
}

const StoreContext = createContext<SessionStore | null>(null)
export const SessionStoreProvider = StoreContext.Provider

export function useSessionStore(): SessionStore {
  const store = useContext(StoreContext)
  if (!store) throw new Error('No session around this component')
  return store
}

export const useLive = <T>(select: (state: SessionState) => T): T => useStore(useSessionStore(), select)
