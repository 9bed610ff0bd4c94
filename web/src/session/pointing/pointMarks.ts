import { create } from 'zustand'
import type { Box, PointedPlace, PointerBody } from '@/api/types'
import { recallHere, rememberHere } from '@/lib/storage'

/** As the server accepts them. */
export const MAX_MARKS = 10
export const NOTE_CHARS = 300

/** A numbered mark on a picture, for the next message. */
export interface Mark extends PointedPlace {
  /** The id of an element of the picture; null for a place. */
  element: string | null
}

/** What is pointed at: the page as it is now, or a kept picture. `text` goes into an empty message with it. */
export interface Source {
  picture: string | null
  text?: string
}

interface State {
  marks: Record<string, Mark[]>
  source: Source | null
  /** A page is open that has the dialog and a composer. */
  isHosted: boolean
  /** Text for the composer, when the dialog was left with marks. */
  filled: { text: string } | null
  point(source: Source): void
  close(): void
  keep(sessionId: string, marks: Mark[]): void
}

const keyOf = (sessionId: string) => `points.${sessionId}`

export const usePointing = create<State>((set) => ({
  marks: {},
  source: null,
  isHosted: false,
  filled: null,
  point: (source) => set({ source }),
  close: () => set({ source: null }),
  keep: (sessionId, marks) => {
    rememberHere(keyOf(sessionId), marks.length ? JSON.stringify(marks) : '')
    set(({ marks: all }) => ({ marks: { ...all, [sessionId]: marks } }))
  },
}))

const NONE: Mark[] = []

/** The marks of the next message; they stay over a reload, as its draft does. */
export function marksOf(sessionId: string): Mark[] {
  const { marks } = usePointing.getState()
  return marks[sessionId] ?? recalled(sessionId)
}

function read(text: string): Mark[] {
  try {
    return JSON.parse(text) as Mark[]
  } catch {
    return NONE
  }
}

const known = new Map<string, Mark[]>()

function recalled(sessionId: string): Mark[] {
  const text = recallHere(keyOf(sessionId))
  if (!text) return NONE
  if (!known.has(text)) known.set(text, read(text))
  return known.get(text)!
}

export const useMarks = (sessionId: string): Mark[] =>
  usePointing(({ marks }) => marks[sessionId] ?? recalled(sessionId))

/** The next number: those of removed marks between others are not given again. */
export const nextNumber = (marks: readonly Mark[]): number => Math.max(0, ...marks.map(({ n }) => n)) + 1

/** The marks for the message that is sent now. */
export function takeMarks(sessionId: string): Mark[] {
  const marks = marksOf(sessionId)
  if (marks.length) usePointing.getState().keep(sessionId, [])
  return marks
}

export const toBody = ({ n, picture, element, box, note }: Mark): PointerBody => ({
  n,
  picture,
  element,
  box: [...box],
  note: note ?? '',
})

/** A mark of the size of a point. */
export const spotBox = (x: number, y: number): Box => [x, y, 0, 0]
