import type { Message, Pending, Proof, RunStatus, Usage, WorkState } from '@/api/types'

/** Where an event belongs. `epoch` and `seq` order all events of a session. */
interface Stamp {
  session_id: string
  run_id: string
  epoch: number
  seq: number
  ts: string
}

export interface Observation {
  url: string
  title: string
  counts: Record<string, number>
  overlays: string[]
  screenshot?: string | null
}

type Fields =
  | { type: 'token'; message_id: string; text: string }
  | { type: 'thinking'; message_id: string; text: string }
  | {
      type: 'tool_start'
      call_id: string
      name: string
      args: Record<string, unknown>
      position?: number | null
    }
  | ({
      type: 'tool_end'
      call_id: string
      name: string
      ok: boolean
      summary: string
      duration_ms: number
      url?: string | null
      screenshot?: string | null
      reason?: string | null
    } & Proof)
  | { type: 'done'; message: Message; usage: Usage }
  | { type: 'error'; code: string; message: string; position?: number | null }
  | {
      type: 'run'
      status: RunStatus
      agent: string
      model: string
      step: number
      max_steps: number
      note?: string | null
      queue_place?: number | null
    }
  | ({ type: 'state' } & WorkState)
  | ({ type: 'observation' } & Observation)
  | ({ type: 'interrupt'; position?: number | null } & Pending)
  | { type: 'decision'; reference: string; confirmed: boolean; message?: string | null }
  | { type: 'message'; message: Message }
  | { type: 'message_removed'; message_id: string }
  | { type: 'usage'; call: Usage; total: Usage }
  | { type: 'resync'; reason?: string }

export type LiveEvent = Stamp & Fields
export type EventOf<Type extends LiveEvent['type']> = Extract<LiveEvent, { type: Type }>

/** The `session` event: what the list of sessions shows. */
export interface SessionChanged {
  session_id: string
  status: string
  title: string
  unread?: boolean
  deleted?: boolean
  updated_at?: string | null
  note?: string | null
  queue_place?: number | null
  /** Of all its runs that are over. */
  usage?: Usage | null
}

export const EVENT_TYPES: LiveEvent['type'][] = [
  'token',
  'thinking',
  'tool_start',
  'tool_end',
  'done',
  'error',
  'run',
  'state',
  'observation',
  'interrupt',
  'decision',
  'message',
  'message_removed',
  'usage',
  'resync',
]
