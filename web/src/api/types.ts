import type { components } from './schema'

type Schemas = components['schemas']

/** A text of the server as sentences, for other languages than English. */
export type Parts = Schemas['Parts']

export type KeptSite = Schemas['KeptSite']
export type WaysToLogIn = Schemas['WaysToLogIn']
export type LoggedInDevices = Schemas['Devices']
export type LoggedInDevice = Schemas['Device']
export type Session = Schemas['Session'] & { note?: string | null }
/** One of a search, with the message that says what was looked for. */
export type ListedSession = Schemas['ListedSession']
export type SessionStatus = Session['status']
export type SessionDetail = Omit<Schemas['SessionDetail'], 'messages'> & { messages: Message[] }
export type Run = Schemas['Run']
export type RunStatus = Run['status']
export type Message = Omit<Schemas['Message'], 'meta_json'> & { meta_json?: ToolMeta | null }
export type SendMode = 'steer' | 'queue'
export type Usage = Schemas['Usage']
export type Target = Schemas['Target']
/** Left, top, width and height in percent of the picture. */
export type Box = [number, number, number, number]
export type Pending = Omit<Schemas['Pending'], 'position'>
/** A question with what became of it. */
export type Question = Schemas['Question']
/** A row that is neither message nor question. */
export type Activity = Schemas['Activity']
/** A question of the inbox. */
export type OpenQuestion = Schemas['OpenQuestion']
/** How a run ended without an answer. */
export type Failure = Schemas['Failure']
export type Fact = Schemas['Fact']
export type Progress = Schemas['Progress']
export type WorkState = Schemas['WorkingState']
export type Accepted = Schemas['Accepted']
export type Channel = Schemas['Channel']
export type ChannelEvent = Channel['events'][number]
/** What can be changed of a channel. */
export type ChannelChange = Pick<Channel, 'events' | 'mode' | 'quiet' | 'digest' | 'links'>
/** Where the messages of a new channel go; a device has keys and a name. */
export type NewAddress = Pick<Schemas['NewChannel'], 'kind' | 'address'> &
  Partial<Pick<Schemas['NewChannel'], 'keys' | 'name'>>
export type Automation = Omit<Schemas['ListedAutomation'], 'result_schema'> & {
  result_schema: ResultSchema | null
}
export type Firing = Schemas['Firing']
/** What can be changed of an automation. */
export type AutomationChange = Pick<
  Automation,
  | 'name'
  | 'task'
  | 'agent'
  | 'model'
  | 'max_tool_steps'
  | 'start_url'
  | 'rule'
  | 'zone'
  | 'overlap'
  | 'missed'
  | 'patience'
  | 'session_mode'
  | 'keep'
  | 'budget'
  | 'ask_first'
  | 'only_changes'
  | 'only_first_model'
  | 'result_schema'
  | 'instructions'
> & { grants?: AutomationGrant[] }
export type Upcoming = Schemas['UpcomingTime']
export type Surroundings = Schemas['SessionSurroundings']
export type SurroundingsChange = Schemas['SurroundingsEdit']
export type Handoff = Schemas['Handoff']
export type ReplayLink = Schemas['ReplayLink']
export type StoredLogin = Schemas['StoredLogin']
export type LoginChange = Partial<Schemas['LoginPatch']>
export type VaultStatus = Schemas['VaultStatus']
export type VaultSource = Schemas['VaultSource']
export type VaultLog = Schemas['VaultLog']
export type ImportedLogins = Schemas['ImportedLogins']

export type Note = Schemas['Note']
export type NoteChange = Partial<Schemas['NoteChange']>

export type Grant = Schemas['Grant']
/** What a yes allows besides the one act. */
export interface GrantChoice extends GrantLimits {
  scope: Grant['scope'] | 'once'
}
/** A permission of an automation: a known one by its id, or a new one. */
export interface AutomationGrant extends GrantLimits {
  id?: string
  site?: string
  kind?: string
  currency?: string
}
/** What narrows a permission. */
export interface GrantLimits {
  count?: number
  ends_at?: string
  act_amount?: number
  month_amount?: number
}
export type FileItem = Schemas['File']
export type ModelInfo = Schemas['OfferedModel']
export type Notice = Schemas['Notice']
export type Config = Schemas['Config']
export type Connected = Schemas['Connected']
export type ServerModels = Schemas['ServerModels']
/** What a model is connected with. */
export interface Connection {
  provider: string
  key: string | null
  address: string | null
  model: string | null
  /** Whether new sessions use it; unset: yes. */
  is_default?: boolean
}
export type KeyTest = Schemas['KeyTested']

export type Cell = string | number | boolean | null

/** One column of a table that a message asks for. */
export interface ColumnSchema {
  type: 'string' | 'number' | 'integer' | 'boolean'
  enum?: (string | number)[]
  format?: string
  description?: string
}

/** JSON Schema of a table. `required` has the names of all columns, in their order. */
export interface ResultSchema {
  type: 'array'
  items: { type: 'object'; properties: Record<string, ColumnSchema>; required: string[] }
}

/** A row of a table as the message of its tool call has it: without empty fields. */
export type ResultRow = Pick<Schemas['ResultRow'], 'id' | 'values' | 'at'> & Partial<Schemas['ResultRow']>

export type Effect = Schemas['Effect']
/** What came of a step that was approved: of all others nothing is recorded. */
export interface Proof {
  effect?: Schemas['ToolEnd']['effect']
  effects?: Effect[] | null
  page_says?: string | null
  /** The permissions that allowed it. */
  grants?: Schemas['ToolEnd']['grants']
}

/** The metadata of a stored message, mostly of a tool call. */
export interface ToolMeta extends Proof {
  /** Of a user message: the table that it asks for. */
  result_schema?: ResultSchema
  /** Of a user message: what it points at. */
  pointers?: PointedPlace[]
  /** Of a user message: said to a run at work, or queued behind it. */
  mode?: SendMode
  /** Of a steering message: whether the run's agent has read it. Not set while it still may. */
  heard?: boolean
  /** The rows that the call recorded. */
  result?: { schema: ResultSchema; rows: ResultRow[] }
  summary_parts?: Parts | null
  title?: string | null
  name?: string
  call_id?: string
  args?: Record<string, unknown>
  ok?: boolean
  duration_ms?: number
  url?: string | null
  screenshot?: string | null
  box?: Box | null
  reason?: string | null
  [extra: string]: unknown
}

export interface Page<Item> {
  items: Item[]
  next_cursor: string | null
}

export type SessionPatch = Partial<
  Pick<Session, 'title' | 'pinned' | 'agent' | 'model' | 'max_tool_steps' | 'ask_first'> & {
    archived: boolean
    instructions: string
  }
>

export interface NewMessage {
  content: string
  client_id: string
  mode?: SendMode
  result_schema?: ResultSchema
  pointers?: PointerBody[]
}

export interface NewSession {
  id: string
  title?: string
  agent?: string
  model?: string
  max_tool_steps?: number
  ask_first?: boolean
}

export type LoginUse = Pick<Schemas['LoginBody'], 'choice'> & { id?: string }

export interface Decision {
  reference: string
  confirmed?: boolean
  done?: boolean
  message?: string
  grant?: GrantChoice
  /** With a yes to a run's start: the places of the effects that are allowed. */
  effects?: number[]
  /** To a question about a login. */
  login?: LoginUse
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
  /** null: without a window only where there is no screen. */
  browser_headless: boolean | null
  max_browsers: number
  retention_days: number | null
  /** null: as the person's browser says, which the defaults have. */
  time_zone: string | null
  locale: string | null
}

/** What a browser says of itself. */
export interface Device {
  device_zone: string
  device_locale: string
}

export type KeyState = 'set' | 'unset' | 'environment'

export interface Settings {
  values: SettingValues
  defaults: SettingValues
  keys: Record<string, KeyState>
}

export type PointedElement = Omit<Schemas['PointedElement'], 'box'> & { box: Box }
/** A picture with the elements on it. */
export type PointedPage = Omit<Schemas['PointedPage'], 'elements'> & { elements: PointedElement[] }
export type PointerBody = Schemas['PointerBody']

/** What a message points at, as it is stored. */
export interface PointedPlace {
  n: number
  picture: string
  box: Box
  url?: string
  note?: string
  /** Not set for a place on the picture. */
  target?: { role: string; name: string; near?: string[] }
}

export type ToolServer = Schemas['McpServer']
export type ToolServers = Schemas['McpServers']
export type ToolServerChange = Partial<Schemas['ServerChange']>
export type ToolServerTest = Schemas['McpServerTested']
export type NewToolServer = Pick<Schemas['NewServer'], 'name' | 'address'> & {
  headers?: Record<string, string>
}
export type ServerTool = Schemas['McpTool']
export type ToolMode = ServerTool['mode']
export type ToolServerLogin = Schemas['ToolServerLogin']
