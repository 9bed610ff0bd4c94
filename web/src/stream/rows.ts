import type {
  Activity,
  Box,
  Message,
  OpenQuestion,
  Parts,
  Pending,
  PointedPlace,
  Proof,
  Question,
  ResultRow,
  ResultSchema,
} from '@/api/types'

interface Placed {
  id: string
  runId: string | null
  /** Its number in the session's one sequence of rows; null if it has none. */
  seq: number | null
  /** Order of arrival, for what has no number. */
  born: number
  /** The number that it stands behind, for what has none of its own. */
  after: number
  at: string | null
}

export interface UserRow extends Placed {
  kind: 'user'
  text: string
  messageId: string | null
  clientId: string | null
  /** `waiting`: it is sent when the server can be reached again. */
  delivery: 'sent' | 'sending' | 'waiting' | 'failed'
  /** `steer`: said to a run at work; `queue`: waits for its end. */
  mode: 'steer' | 'queue' | null
  /** Of a steering message: read by the agent, or never read because the run ended; null while that is open. */
  isRead: boolean | null
  failure: string | null
  /** The table that it asks for. */
  schema: ResultSchema | null
  /** What it points at. */
  pointed: PointedPlace[]
}

export interface TextRow extends Placed {
  kind: 'text'
  text: string
  /** Tokens are still coming. */
  live: boolean
  /** The run ended before the answer did; the server has not kept it. */
  cut: boolean
  meta: Record<string, unknown>
}

export interface ThinkingRow extends Placed {
  kind: 'thinking'
  text: string
  endedAt: string | null
  /** How long it took, where the server has measured it. */
  ms: number | null
}

export interface ToolRow extends Placed {
  kind: 'tool'
  name: string
  args: Record<string, unknown>
  status: 'running' | 'ok' | 'failed'
  summary: string
  /** The sentences of `summary`. */
  parts: Parts | null
  durationMs: number | null
  url: string | null
  /** Of the page at `url`. */
  title: string | null
  screenshot: string | null
  box: Box | null
  /** Why it failed, where a code says it. */
  reason: string | null
  /** The rows of a table that it recorded. */
  result: { schema: ResultSchema; rows: ResultRow[] } | null
  proof: Proof | null
}

export interface QuestionRow extends Placed {
  kind: 'question'
  question: Pending
  answer: 'open' | 'yes' | 'no' | 'void'
  /** What was done with it, as the server reports; null while it has not. */
  outcome: Question['outcome']
  /** What was said with the answer. */
  note: string | null
  /** How long it waited for its answer. */
  waitedMs: number
}

export interface ErrorRow extends Placed {
  kind: 'error'
  code: string
  text: string
  /** The sentences of `text`. */
  parts: Parts | null
}

/** What was done besides the steps of the agent: by the user, or to the session. */
export interface ActivityRow extends Placed {
  kind: 'activity'
  what: Activity['what']
}

export type Row = UserRow | TextRow | ThinkingRow | ToolRow | QuestionRow | ErrorRow | ActivityRow

export const toolRowId = (runId: string | null, callId: string) => `tool:${runId}:${callId}`
export const errorRowId = (runId: string) => `error:${runId}`
export const questionRowId = (reference: string) => `question:${reference}`

/** The row of a question outside of its session. */
export const openQuestionRow = (question: OpenQuestion): QuestionRow => ({
  kind: 'question',
  id: questionRowId(question.reference),
  runId: question.run_id,
  seq: question.position,
  born: 0,
  after: 0,
  at: question.created_at,
  question,
  answer: 'open',
  outcome: null,
  note: null,
  waitedMs: 0,
})

/** The row of a stored message; the same whether it came by GET or by the stream. */
export function rowOfMessage(message: Message): Row {
  const placed = {
    runId: message.run_id,
    seq: message.seq,
    born: 0,
    after: 0,
    at: message.created_at,
  }
  if (message.role === 'user') return userRow(message, placed)
  if (message.role === 'tool') return toolRow(message, placed)
  const meta = message.meta_json ?? {}
  return { ...placed, kind: 'text', id: message.id, text: message.content, live: false, cut: false, meta }
}

export const rowOfActivity = ({ id, run_id, position, what, created_at }: Activity): ActivityRow => ({
  kind: 'activity',
  id: `activity:${id}`,
  runId: run_id,
  seq: position,
  born: 0,
  after: 0,
  at: created_at,
  what,
})

type Place = Omit<Placed, 'id'>

function userRow(message: Message, placed: Place): UserRow {
  return {
    ...placed,
    kind: 'user',
    id: message.client_id ? `user:${message.client_id}` : message.id,
    text: message.content,
    messageId: message.id,
    clientId: message.client_id ?? null,
    delivery: 'sent',
    mode: message.meta_json?.mode ?? null,
    isRead: message.meta_json?.heard ?? null,
    failure: null,
    schema: message.meta_json?.result_schema ?? null,
    pointed: message.meta_json?.pointers ?? [],
  }
}

export const proofOf = ({ effect, effects, page_says, grants }: Proof): Proof | null =>
  effect ? { effect, effects: effects ?? [], page_says: page_says ?? null, ...(grants && { grants }) } : null

function toolRow(message: Message, placed: Place): ToolRow {
  const meta = message.meta_json ?? {}
  return {
    ...placed,
    kind: 'tool',
    id: toolRowId(message.run_id, meta.call_id ?? message.id),
    name: meta.name ?? 'tool',
    args: meta.args ?? {},
    status: meta.ok === false ? 'failed' : 'ok',
    summary: message.content,
    parts: meta.summary_parts ?? null,
    durationMs: meta.duration_ms ?? null,
    url: meta.url ?? null,
    title: meta.title ?? null,
    screenshot: meta.screenshot ?? null,
    box: meta.box ?? null,
    reason: meta.reason ?? null,
    result: meta.result ?? null,
    proof: proofOf(meta),
  }
}
