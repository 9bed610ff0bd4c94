import type { Parts, Pending, RunStatus, Usage, WorkState } from '@/api/types'
import type { Observation } from './events'
import type { Row } from './rows'

export interface RunView {
  id: string
  status: RunStatus
  agent: string | null
  model: string | null
  step: number | null
  maxSteps: number | null
  note: string | null
  noteParts: Parts | null
  /** While it waits for a free browser: its place in the queue, from 1. */
  queuePlace: number | null
  startedAt: string | null
  finishedAt: string | null
}

/** Everything one session shows, as a fold of its messages and events. */
export interface Live {
  ids: string[]
  rows: Record<string, Row>
  run: RunView | null
  pending: Pending | null
  work: WorkState
  /** The person's changes of `work` that the server has not answered: they stand over what it reports. */
  unsaved: Partial<WorkState> | null
  page: Observation | null
  usage: Usage | null
  /** The last event seen; older ones are repeats. */
  epoch: number
  seq: number
  born: number
  /** The highest row number that the stream has sent. */
  reached: number
  /** Rows without a number that precede the next one that the stream sends. */
  loose: string[]
  loaded: boolean
  /** Something was missed: load the session again. */
  stale: boolean
}

export const NO_WORK: WorkState = {
  goal: null,
  plan: [],
  proposed_plan: [],
  progress: { done: [], blocked: [] },
  facts: [],
}

export const EMPTY: Live = {
  ids: [],
  rows: {},
  run: null,
  pending: null,
  work: NO_WORK,
  unsaved: null,
  page: null,
  usage: null,
  epoch: 0,
  seq: 0,
  born: 0,
  reached: 0,
  loose: [],
  loaded: false,
  stale: false,
}

/** Steps of the current run. After a reload no event has it, and the stored tool calls are counted. */
export function stepsTaken({ run, ids, rows }: Live): number {
  if (!run) return 0
  if (run.step !== null) return run.step
  return ids.filter((id) => rows[id]?.kind === 'tool' && rows[id].runId === run.id).length
}

type OpenStatus = 'queued' | 'running' | 'waiting_user' | 'paused'
const OPEN: RunStatus[] = ['queued', 'running', 'waiting_user', 'paused'] satisfies OpenStatus[]

export const isOpen = (run: RunView | null): run is RunView & { status: OpenStatus } =>
  run !== null && OPEN.includes(run.status)
