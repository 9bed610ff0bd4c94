import type { components, operations } from '@/api/schema'
import type { Message, Pending, Usage, WorkState } from '@/api/types'

/** Where an event belongs. `epoch` and `seq` order all events of a session. */
interface Stamp {
  session_id: string
  run_id: string
  epoch: number
  seq: number
  ts: string
}

type Described = operations['stream_stream_browser']['responses'][200]['content']['text/event-stream']
type AsDescribed<One = Described> = One extends { type: 'state' | 'interrupt' }
  ? never
  : One extends { message: components['schemas']['Message'] }
    ? Omit<One, 'message'> & { message: Message }
    : One
// These two come with all their fields, which the description calls optional.
type Fields =
  AsDescribed | ({ type: 'state' } & WorkState) | ({ type: 'interrupt'; position?: number | null } & Pending)

export type Observation = Omit<components['schemas']['Observed'], 'type'>
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
  icon?: string | null
  /** Of all its runs that are over. */
  usage?: Usage | null
}

const NAMES: Record<LiveEvent['type'], true> = {
  token: true,
  thinking: true,
  tool_start: true,
  tool_end: true,
  done: true,
  error: true,
  run: true,
  state: true,
  observation: true,
  policy: true,
  interrupt: true,
  decision: true,
  message: true,
  message_removed: true,
  activity: true,
  usage: true,
  resync: true,
}

/** All of them: an event that is not listened to leaves a gap, and the session is read again. */
export const EVENT_TYPES = Object.keys(NAMES)
