import { create } from 'zustand'
import type { ColumnSchema, ResultSchema } from '@/api/types'

export type Kind = ColumnSchema['type']
export const KINDS: Kind[] = ['string', 'number', 'integer', 'boolean']
export const MAX_COLUMNS = 20
export const NAME_CHARS = 60
/** The server keeps this name for the reasons of missing values. */
const RESERVED = 'missing'

export interface Column {
  name: string
  kind: Kind
}

interface Draft {
  isOn: boolean
  columns: Column[]
  /** What is typed for the next column. */
  name: string
  kind: Kind
}

const NONE: Draft = { isOn: false, columns: [], name: '', kind: 'string' }

/** `null` stands for the session that is about to begin. */
const keyOf = (sessionId: string | null) => sessionId ?? 'new'

const useStore = create<Record<string, Draft>>(() => ({}))

/** The columns of the table that the next message asks for. */
export const useColumns = (sessionId: string | null): Draft =>
  useStore((state) => state[keyOf(sessionId)] ?? NONE)

const draftOf = (sessionId: string | null) => useStore.getState()[keyOf(sessionId)] ?? NONE

export const changeColumns = (sessionId: string | null, news: Partial<Draft>): void =>
  useStore.setState({ [keyOf(sessionId)]: { ...draftOf(sessionId), ...news } })

/** Why there can be no such column; null if there can. */
export function isTaken(columns: Column[], name: string): boolean {
  const plain = name.trim().toLowerCase()
  return plain === RESERVED || columns.some((column) => column.name.toLowerCase() === plain)
}

/** Adds what is typed; false if there is nothing to add. */
export function addColumn(sessionId: string | null): boolean {
  const { columns, name, kind } = draftOf(sessionId)
  const trimmed = name.trim()
  if (!trimmed || isTaken(columns, trimmed) || columns.length >= MAX_COLUMNS) return false
  changeColumns(sessionId, { columns: [...columns, { name: trimmed, kind }], name: '' })
  return true
}

/** The schema for the message that is sent now, with the column that is still typed; afterwards there is none. */
export function takeSchema(sessionId: string | null): ResultSchema | null {
  if (draftOf(sessionId).isOn) addColumn(sessionId)
  const { isOn, columns } = draftOf(sessionId)
  if (!isOn || columns.length === 0) return null
  changeColumns(sessionId, NONE)
  const properties = Object.fromEntries(columns.map(({ name, kind }) => [name, { type: kind }]))
  const required = columns.map((column) => column.name)
  return { type: 'array', items: { type: 'object', properties, required } }
}
