import { usePrefs } from '@/lib/prefs'
import { request } from './http'
import type {
  Accepted,
  Automation,
  AutomationChange,
  Cell,
  Channel,
  ChannelChange,
  Config,
  Connected,
  Connection,
  Decision,
  Device,
  FileItem,
  Firing,
  Grant,
  Handoff,
  ReplayLink,
  KeptSite,
  KeyTest,
  ListedSession,
  LoggedInDevices,
  ToolServerLogin,
  NewAddress,
  NewMessage,
  NewSession,
  NewToolServer,
  Note,
  NoteChange,
  OpenQuestion,
  Page,
  PointedPage,
  ResultRow,
  ServerModels,
  ServerTool,
  Session,
  SessionDetail,
  SessionPatch,
  SettingValues,
  Settings,
  Surroundings,
  SurroundingsChange,
  ToolServer,
  ToolServerChange,
  ToolServers,
  ToolServerTest,
  Upcoming,
  WaysToLogIn,
  WorkState,
} from './types'
import { apiAddress } from '@/lib/base'

const at = (id: string, rest = '') => `/sessions/${encodeURIComponent(id)}${rest}`

function query(values: Record<string, string | number | boolean | null | undefined>): string {
  const pairs = Object.entries(values).filter(([, value]) => value != null && value !== '')
  return pairs.length ? `?${new URLSearchParams(pairs.map(([key, value]) => [key, String(value)]))}` : ''
}

export const api = {
  ready: () => request<{ status: string }>('GET', '/ready'),
  me: () => request<unknown>('GET', '/auth/me'),
  login: (password: string) => request<void>('POST', '/auth/login', { password }),
  waysToLogIn: () => request<WaysToLogIn>('GET', '/auth/ways'),
  loginByProxy: () => request<void>('POST', '/auth/proxy'),
  devices: () => request<LoggedInDevices>('GET', '/auth/devices'),
  endDevice: (id: string) => request<void>('DELETE', `/auth/devices/${id}`),
  changePassword: (current: string, next: string) =>
    request<void>('PUT', '/auth/password', { current, new: next }),
  logout: () => request<void>('POST', '/auth/logout'),
  config: () => request<Config>('GET', '/config'),

  sessions: (find: { q?: string; cursor?: string | null; archived?: boolean; limit?: number }) =>
    request<Page<ListedSession>>('GET', `/sessions${query(find)}`),
  session: (id: string) => request<SessionDetail>('GET', at(id)),
  createSession: (session: NewSession) => request<Session>('POST', '/sessions', session),
  patchSession: (id: string, patch: SessionPatch) => request<Session>('PATCH', at(id), patch),
  deleteSession: (id: string) => request<void>('DELETE', at(id)),
  markRead: (id: string) => request<void>('POST', at(id, '/read')),

  send: (id: string, body: NewMessage) => request<Accepted>('POST', at(id, '/messages'), body),
  /** The page as it is now, and what is at a place of it, in percent. */
  pointAt: (id: string, spot?: { x: number; y: number }) =>
    request<PointedPage>('POST', at(id, '/browser/point'), spot),
  pictured: (id: string, picture: string) =>
    request<PointedPage>('GET', at(id, `/pictures/${picture.slice(picture.lastIndexOf('/') + 1)}`)),
  editMessage: (id: string, messageId: string, content: string) =>
    request<Accepted>('PUT', at(id, `/messages/${messageId}`), { content }),
  removeQueued: (id: string, messageId: string) =>
    request<void>('DELETE', at(id, `/messages/${encodeURIComponent(messageId)}`)),
  steerQueued: (id: string, messageId: string) =>
    request<Accepted>('POST', at(id, `/messages/${encodeURIComponent(messageId)}/steer`)),
  editCell: (runId: string, edit: { row: string; column: string; value: Cell }) =>
    request<ResultRow>('PATCH', `/runs/${encodeURIComponent(runId)}/result`, edit),
  retry: (id: string) => request<Accepted>('POST', at(id, '/retry')),
  cancel: (id: string) => request<unknown>('POST', at(id, '/cancel')),
  pause: (id: string) => request<unknown>('POST', at(id, '/pause')),
  resume: (id: string) => request<unknown>('POST', at(id, '/resume')),
  decide: (id: string, decision: Decision) => request<unknown>('POST', at(id, '/decision'), decision),
  putOff: (id: string, reference: string, until: string) =>
    request<unknown>('POST', at(id, `/questions/${encodeURIComponent(reference)}/later`), { until }),
  setPlan: (id: string, plan: string[]) => request<WorkState>('PUT', at(id, '/plan'), { plan }),
  dismissPlan: (id: string) => request<WorkState>('DELETE', at(id, '/plan/proposal')),
  dropFact: (id: string, index: number) => request<WorkState>('DELETE', at(id, `/facts/${index}`)),
  branch: (id: string, messageId: string) =>
    request<Session>('POST', at(id, '/branch'), { message_id: messageId }),

  questions: (cursor: string | null) =>
    request<Page<OpenQuestion> & { total: number }>('GET', `/questions${query({ status: 'open', cursor })}`),

  decidedSince: (since: string) =>
    request<Page<OpenQuestion>>('GET', `/questions${query({ status: 'decided', since })}`),

  grants: (sessionId?: string) =>
    request<{ items: Grant[] }>('GET', `/grants${query({ session_id: sessionId })}`),
  revoke: (grantId: string) => request<void>('DELETE', `/grants/${grantId}`),

  instructions: () => request<{ text: string }>('GET', '/instructions'),
  setInstructions: (text: string) => request<{ text: string }>('PUT', '/instructions', { text }),
  notes: () => request<{ items: Note[] }>('GET', '/notes'),
  changeNote: (id: string, change: NoteChange) => request<Note>('PATCH', `/notes/${id}`, change),
  removeNote: (id: string) => request<void>('DELETE', `/notes/${id}`),
  removeNotes: () => request<void>('DELETE', '/notes'),
  importNotes: (document: unknown) =>
    request<{ items: Note[]; refused: number }>('POST', '/notes/import', document),

  keptSites: () => request<{ items: KeptSite[] }>('GET', '/kept-sites'),
  keepSite: (id: string, days: number) => request<KeptSite>('POST', at(id, '/browser/keep'), { days }),
  endKeptSite: (id: string) => request<void>('DELETE', `/kept-sites/${id}`),

  surroundings: (id: string) => request<Surroundings>('GET', at(id, '/surroundings')),
  changeSurroundings: (id: string, change: SurroundingsChange) =>
    request<Surroundings>('PATCH', at(id, '/surroundings'), change),

  handoff: (id: string) => request<{ items: Handoff[] }>('GET', at(id, '/handoff')),
  handOff: (id: string, minutes: number) =>
    request<Handoff & { link: string }>('POST', at(id, '/handoff'), { minutes }),
  endHandoff: (id: string) => request<void>('DELETE', at(id, '/handoff')),

  replayLinks: (id: string) => request<{ items: ReplayLink[] }>('GET', at(id, '/replays')),
  addReplayLink: (id: string, link: { days: number; with_files: boolean }) =>
    request<ReplayLink & { link: string }>('POST', at(id, '/replays'), link),
  endReplayLink: (id: string, linkId: string) => request<void>('DELETE', at(id, `/replays/${linkId}`)),

  files: (id: string) => request<{ items: FileItem[] }>('GET', at(id, '/files')),
  upload: (id: string, file: File) => request<FileItem>('POST', at(id, '/files'), formOf(file)),
  removeFile: (id: string, name: string) =>
    request<void>('DELETE', at(id, `/files/${encodeURIComponent(name)}`)),

  automations: () => request<{ items: Automation[] }>('GET', '/automations'),
  addAutomation: (automation: AutomationChange & { created_from?: string }) =>
    request<Automation>('POST', '/automations', automation),
  changeAutomation: (id: string, change: Partial<AutomationChange & { enabled: boolean }>) =>
    request<Automation>('PATCH', `/automations/${id}`, change),
  removeAutomation: (id: string) => request<void>('DELETE', `/automations/${id}`),
  runAutomation: (id: string) => request<Firing>('POST', `/automations/${id}/run`),
  firings: (id: string, cursor: string | null) =>
    request<Page<Firing>>('GET', `/automations/${id}/firings${query({ limit: 20, cursor })}`),
  upcoming: () => request<{ items: Upcoming[] }>('GET', '/automations/upcoming'),
  previewRule: (rule: string, zone: string) =>
    request<{ items: string[] }>('POST', '/automations/preview', { rule, zone }),
  newHook: (id: string) => request<{ secret: string; path: string }>('POST', `/automations/${id}/hook`),
  removeHook: (id: string) => request<void>('DELETE', `/automations/${id}/hook`),
  importAutomations: (document: unknown) =>
    request<{ items: Automation[] }>('POST', '/automations/import', document),

  channels: () => request<{ items: Channel[] }>('GET', '/channels'),
  pushKey: () => request<{ public_key: string }>('GET', '/push/key'),
  addChannel: (channel: ChannelChange & NewAddress) =>
    request<Channel & { secret: string | null }>('POST', '/channels', channel),
  changeChannel: (id: string, change: Partial<ChannelChange>) =>
    request<Channel>('PATCH', `/channels/${id}`, change),
  removeChannel: (id: string) => request<void>('DELETE', `/channels/${id}`),
  testChannel: (id: string) => request<KeyTest>('POST', `/channels/${id}/test`),
  tellPresence: (page: string) => request<void>('POST', '/presence', { page, visible: true }),

  toolServers: () => request<ToolServers>('GET', '/mcp-servers'),
  addToolServer: (server: NewToolServer) => request<ToolServer>('POST', '/mcp-servers', server),
  changeToolServer: (id: string, change: ToolServerChange) =>
    request<ToolServer>('PATCH', `/mcp-servers/${encodeURIComponent(id)}`, change),
  removeToolServer: (id: string) => request<void>('DELETE', `/mcp-servers/${encodeURIComponent(id)}`),
  testToolServer: (id: string) =>
    request<ToolServerTest>('POST', `/mcp-servers/${encodeURIComponent(id)}/test`),
  toolsOf: (id: string) =>
    request<{ items: ServerTool[] }>('GET', `/mcp-servers/${encodeURIComponent(id)}/tools`),
  beginLogin: (id: string) =>
    request<{ url: string }>('POST', `/mcp-servers/${encodeURIComponent(id)}/login`),
  endLogin: (id: string) => request<ToolServer>('DELETE', `/mcp-servers/${encodeURIComponent(id)}/login`),
  finishLogin: (answer: ToolServerLogin) => request<ToolServers>('POST', '/mcp-servers/login', answer),

  settings: () => request<Settings>('GET', '/settings'),
  changeSettings: (values: Partial<SettingValues>) => request<Settings>('PATCH', '/settings', values),
  tellDevice: (device: Device) => request<Settings>('PATCH', '/settings', device),
  setKey: (provider: string, key: string) => request<void>('PUT', `/settings/keys/${provider}`, { key }),
  removeKey: (provider: string) => request<void>('DELETE', `/settings/keys/${provider}`),
  testKey: (provider: string, model?: string) =>
    request<KeyTest>('POST', `/settings/keys/${provider}/test`, model ? { model } : undefined),
  connect: (connection: Connection) => request<Connected>('POST', '/settings/connect', connection),
  serverModels: (connection: Connection) =>
    request<ServerModels>('POST', '/settings/connect/models', connection),
  purge: (olderThanDays: number | null) =>
    request<{ sessions: number }>(
      'POST',
      '/purge',
      olderThanDays === null ? { all: true } : { older_than_days: olderThanDays },
    ),
}

/** Addresses that the browser fetches by itself, as downloads. */
export const downloads = {
  session: (id: string, format: ExportFormat) =>
    apiAddress(at(id, `/export?format=${format}&lang=${usePrefs.getState().lang}`)),
  everything: apiAddress('/export'),
  automations: apiAddress('/automations/export'),
  notes: apiAddress('/notes/export'),
  result: (runId: string, format: ResultFormat) =>
    apiAddress(`/runs/${encodeURIComponent(runId)}/result?format=${format}`),
}

export type ResultFormat = 'csv' | 'xlsx' | 'json'
export type ExportFormat = 'md' | 'json' | 'html'

function formOf(file: File): FormData {
  const form = new FormData()
  form.append('file', file)
  return form
}
