import { useShallow } from 'zustand/react/shallow'
import type { Row, ToolRow } from '@/stream/rows'
import { useLive } from '@/stream/store'
import { apiAddress } from '@/lib/base'

export interface Downloaded {
  name: string
  /** In bytes. */
  size: number
}

/** The server's line about a file that the browser has downloaded. */
const LINE = /(?:^|\s)Downloaded (\S[^\n]*?) \((\d+) bytes\) to the files of this session\./g

/** The files that a step has brought, as its result reports them. */
export const downloadsOf = (step: Pick<ToolRow, 'summary' | 'status'>): Downloaded[] =>
  step.status === 'ok'
    ? [...step.summary.matchAll(LINE)].map(([, name, size]) => ({ name: name!, size: Number(size) }))
    : []

/** Where a file of a session is fetched. */
export const addressOf = (sessionId: string, name: string): string =>
  apiAddress(`/sessions/${sessionId}/files/${encodeURIComponent(name)}`)

/** The steps that led to an answer, in order: those since the message that it answers. */
export function useStepsOf(answerId: string): ToolRow[] {
  return useLive(useShallow(({ ids, rows }) => stepsBefore(answerId, ids, rows)))
}

export function stepsBefore(answerId: string, ids: string[], rows: Record<string, Row>): ToolRow[] {
  const steps: ToolRow[] = []
  for (let at = ids.indexOf(answerId) - 1; at >= 0; at -= 1) {
    const row = rows[ids[at]!]
    if (row?.kind === 'user' && row.mode !== 'steer') break
    if (row?.kind === 'tool') steps.unshift(row)
  }
  return steps
}

/** How many files the browser has downloaded in this session. */
export const useDownloadCount = (): number =>
  useLive(({ ids, rows }) => {
    const names = ids.flatMap((id) => {
      const row = rows[id]
      return row?.kind === 'tool' ? downloadsOf(row).map(({ name }) => name) : []
    })
    return new Set(names).size
  })
