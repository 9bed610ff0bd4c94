export type SessionStatus = 'idle' | 'queued' | 'running' | 'waiting_user' | 'paused' | 'error'
export type RunStatus =
  | 'queued'
  | 'running'
  | 'waiting_user'
  | 'paused'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'interrupted'
export type Role = 'user' | 'assistant' | 'tool'
export type SendMode = 'steer' | 'queue'

/** Left, top, width and height in percent of the picture. */
export type Box = [number, number, number, number]

export interface Usage {
  input_tokens: number
  output_tokens: number
  cached_tokens: number
  model_calls: number
  cost?: number | null
}

export interface Session {
  id: string
  title: string
  pinned: boolean
  agent: string
  model: string
  max_tool_steps: number
  status: SessionStatus
  created_at: string
  updated_at: string
  archived_at: string | null
  unread?: boolean
  usage?: Usage | null
  queue_place?: number | null
  note?: string | null
}

export interface Run {
  id: string
  session_id: string
  status: RunStatus
  error_code?: string | null
  error?: string | null
  usage?: Usage | null
  attempt?: number
  started_at?: string | null
  finished_at?: string | null
}

export interface ToolMeta {
  name?: string
  call_id?: string
  args?: Record<string, unknown>
  ok?: boolean
  duration_ms?: number
  url?: string | null
  screenshot?: string | null
  box?: Box | null
  [extra: string]: unknown
}

export interface Message {
  id: string
  session_id: string
  run_id: string | null
  seq: number
  role: Role
  content: string
  meta_json?: ToolMeta | null
  client_id?: string | null
  created_at: string
}

export interface Target {
  role: string
  name: string
  box?: Box | null
}

export interface Pending {
  reference: string
  kind: 'confirm' | 'manual'
  reason: string
  action?: Record<string, unknown> | null
  target?: Target | null
  url?: string | null
  risk?: string | null
  /** The price that goes with the action, as the page writes it. */
  amount?: string | null
  screenshot?: string | null
  expires_at?: string | null
}

export interface Fact {
  fact: string
  url?: string | null
  at?: string | null
}

export interface Progress {
  current?: number | null
  done?: string[]
  blocked?: string[]
}

export interface WorkState {
  goal?: string | null
  plan: string[]
  progress: Progress
  facts: Fact[]
}

export interface SessionDetail extends Session {
  messages: Message[]
  run: Run | null
  pending: Pending | null
  state: WorkState | null
}

export interface Page<Item> {
  items: Item[]
  next_cursor: string | null
}

export interface Accepted {
  message: Message
  run: Run
}

export interface AgentInfo {
  id: string
  label: string
}

export interface ModelInfo {
  id: string
  label: string
  provider: string
  ready: boolean
  missing?: string | null
  vision?: boolean | null
  context?: number | null
  price_in?: number | null
  price_out?: number | null
  demo?: boolean
}

export interface Notice {
  code: string
  text: string
}

export interface Config {
  version: string
  mode: 'real' | 'mock'
  agents: AgentInfo[]
  models: ModelInfo[]
  defaults: { agent: string; model: string; max_tool_steps: number }
  limits: {
    message_chars: number
    file_bytes: number
    files: number
    max_browsers: number
    token_budget?: number
    cost_budget?: number | null
  }
  notices: Notice[]
  headless: boolean
}

export type SessionPatch = Partial<
  Pick<Session, 'title' | 'pinned' | 'agent' | 'model' | 'max_tool_steps'> & { archived: boolean }
>

export interface NewSession {
  id: string
  title?: string
  agent?: string
  model?: string
  max_tool_steps?: number
}

export interface Decision {
  reference: string
  confirmed?: boolean
  done?: boolean
  message?: string
  remember?: boolean
}

/** What may be done without asking, on one site in one session. */
export interface Grant {
  id: string
  site: string
  kind: string
  created_at: string
}

export interface FileItem {
  name: string
  size: number
  origin: 'download' | 'upload'
  created_at: string
  url: string
}

/** What can be changed while the server runs. */
export interface SettingValues {
  agent_model: string
  default_agent: string
  max_tool_steps: number
  run_timeout: number
  token_budget: number
  cost_budget: number | null
  vision: 'auto' | 'always' | 'never'
  decision_timeout: number
  allowed_hosts: string[]
  blocked_hosts: string[]
  browser_profile: 'session' | 'shared' | 'fresh'
  retention_days: number | null
}

export type KeyState = 'set' | 'unset' | 'environment'

export interface Settings {
  values: SettingValues
  defaults: SettingValues
  keys: Record<string, KeyState>
}

export interface KeyTest {
  ok: boolean
  detail: string
}
