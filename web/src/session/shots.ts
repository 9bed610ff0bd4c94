import type { Box } from '@/api/types'
import type { QuestionRow, Row, ToolRow } from '@/stream/rows'

/** What was out of the ordinary at a step. */
export type Mark = 'failed' | 'approval' | 'handover' | 'question'

/** One step of a replay: a tool call or a question, with the picture that was on the screen then. */
export interface Shot {
  id: string
  row: ToolRow | QuestionRow
  /** The page when the action was aimed, where the aim is known, and the place it was aimed at. */
  aim: { picture: string; box: Box } | null
  /** The page afterwards, else the last one seen. */
  picture: string | null
  url: string | null
  at: string | null
  mark: Mark | null
}

export function shotsOf(ids: string[], rows: Record<string, Row>): Shot[] {
  const shots: Shot[] = []
  for (const id of ids) {
    const row = rows[id]
    if (row?.kind === 'tool' && row.status !== 'running') shots.push(toolShot(row, shots.at(-1)))
    if (row?.kind === 'question') shots.push(askShot(row, shots.at(-1)))
  }
  return shots
}

const numbers = new WeakMap<string[], Map<string, number>>()

/** The number of a step in the order of the replay, from 1. It is counted once for each order of the rows. */
export function stepNumber(ids: string[], rows: Record<string, Row>, id: string): number {
  let counted = numbers.get(ids)
  if (!counted) {
    const steps = ids.filter((one) => rows[one]?.kind === 'tool' || rows[one]?.kind === 'question')
    counted = new Map(steps.map((one, index) => [one, index + 1]))
    numbers.set(ids, counted)
  }
  return counted.get(id) ?? 0
}

function toolShot(row: ToolRow, before: Shot | undefined): Shot {
  const own = row.screenshot
  return {
    id: row.id,
    row,
    aim: aimOf(before?.picture ?? own, row.box),
    picture: own ?? before?.picture ?? null,
    url: row.url ?? before?.url ?? null,
    at: row.at,
    mark: row.status === 'failed' ? 'failed' : null,
  }
}

const aimOf = (picture: string | null, box: Box | null) => (picture && box ? { picture, box } : null)

function askShot(row: QuestionRow, before: Shot | undefined): Shot {
  const { question } = row
  return {
    id: row.id,
    row,
    aim: aimOf(question.screenshot ?? null, question.target?.box ?? null),
    picture: question.screenshot ?? before?.picture ?? null,
    url: question.url ?? before?.url ?? null,
    at: row.at,
    mark: question.kind !== 'manual' ? 'approval' : question.wants === 'answer' ? 'question' : 'handover',
  }
}

const POINTED = /(^|_)click$/

/** Was this a click, so that its point is worth a dot? */
export const isClick = ({ row }: Shot): boolean => row.kind === 'tool' && POINTED.test(row.name)

/** A step with a known aim has two moments: the page it was aimed at, and the page afterwards. */
export type Phase = 'aim' | 'result'

export const isTwofold = (shot: Shot): boolean => shot.aim !== null && shot.aim.picture !== shot.picture

/** What is on the screen at that moment. */
export function sceneOf(shot: Shot, phase: Phase): { picture: string | null; box: Box | null } {
  if (shot.aim && (phase === 'aim' || !isTwofold(shot))) return shot.aim
  return { picture: shot.picture, box: null }
}
