import type { Box } from '@/api/types'
import type { AskRow, Row, ToolRow } from '@/stream/rows'

/** What was out of the ordinary at a step. */
export type Mark = 'failed' | 'approval' | 'handover'

/** One step of a replay: a tool call or a question, with the picture that was on the screen then. */
export interface Shot {
  id: string
  row: ToolRow | AskRow
  /** Its own picture, else the last one before it. */
  picture: string | null
  box: Box | null
  url: string | null
  at: string | null
  mark: Mark | null
}

export function shotsOf(ids: string[], rows: Record<string, Row>): Shot[] {
  const shots: Shot[] = []
  for (const id of ids) {
    const row = rows[id]
    if (row?.kind === 'tool' && row.status !== 'running') shots.push(toolShot(row, shots.at(-1)))
    if (row?.kind === 'ask') shots.push(askShot(row, shots.at(-1)))
  }
  return shots
}

function toolShot(row: ToolRow, before: Shot | undefined): Shot {
  const own = row.screenshot
  return {
    id: row.id,
    row,
    picture: own ?? before?.picture ?? null,
    box: own ? row.box : null,
    url: row.url ?? before?.url ?? null,
    at: row.at,
    mark: row.status === 'failed' ? 'failed' : null,
  }
}

function askShot(row: AskRow, before: Shot | undefined): Shot {
  const { ask } = row
  return {
    id: row.id,
    row,
    picture: ask.screenshot ?? before?.picture ?? null,
    box: ask.screenshot ? (ask.target?.box ?? null) : null,
    url: ask.url ?? before?.url ?? null,
    at: row.at,
    mark: ask.kind === 'manual' ? 'handover' : 'approval',
  }
}

const POINTED = /(^|_)click$/

/** Was this a click, so that its point is worth a dot? */
export const isClick = ({ row }: Shot): boolean => row.kind === 'tool' && POINTED.test(row.name)
