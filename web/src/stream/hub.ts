import { type Link, type LinkOut, type LinkStatus, openLink, type Watched } from './link'

/** What a tab asks of its stream. `from` holds only sessions that are new to this tab. */
export type ToHub = { type: 'watch'; sessions: string[]; from: Watched } | { type: 'beat' | 'retry' | 'bye' }
export type FromHub = { type: 'status'; status: LinkStatus } | { type: 'event'; name: string; data: string }

interface Tab {
  send(message: FromHub): void
  sessions: Set<string>
  lastSign: number
}

/** A hidden tab's timers run once a minute, so silence means closed only after longer than that. */
const SILENT = 150_000
const SESSION_ID = /"session_id":\s*"([^"]+)"/

/** One link shared by all tabs: each tab gets the `session` events and the events of what it watches. */
export class Hub {
  private tabs = new Map<object, Tab>()
  private link: Link | null = null
  private status: LinkStatus = 'connecting'

  constructor(private open: (out: LinkOut) => Link = openLink) {}

  join(key: object, send: (message: FromHub) => void): void {
    this.tabs.set(key, { send, sessions: new Set(), lastSign: Date.now() })
    send({ type: 'status', status: this.status })
  }

  receive(key: object, message: ToHub): void {
    const tab = this.tabs.get(key)
    if (!tab) return
    tab.lastSign = Date.now()
    if (message.type === 'bye') this.leave(key)
    else if (message.type === 'retry') this.link?.retry()
    else if (message.type === 'watch') this.watch(tab, message)
  }

  private watch(tab: Tab, { sessions, from }: ToHub & { type: 'watch' }): void {
    tab.sessions = new Set(sessions)
    // A lost link may have been refused for a session that is watched no more.
    const isNew = this.link === null || this.status === 'lost' || Object.keys(from).length > 0
    this.link ??= this.open({
      event: (name, data) => this.spread(name, data),
      status: (status) => this.tell(status),
    })
    if (isNew) this.link.watch(this.union(), from)
  }

  private union(): string[] {
    this.forgetSilent()
    return [...new Set([...this.tabs.values()].flatMap((tab) => [...tab.sessions]))].sort()
  }

  private spread(name: string, data: string): void {
    const session = SESSION_ID.exec(data)?.[1] ?? ''
    for (const tab of this.tabs.values()) {
      if (name === 'session' || tab.sessions.has(session)) tab.send({ type: 'event', name, data })
    }
  }

  private tell(status: LinkStatus): void {
    this.status = status
    for (const tab of this.tabs.values()) tab.send({ type: 'status', status })
  }

  private forgetSilent(): void {
    for (const [key, tab] of this.tabs) if (Date.now() - tab.lastSign > SILENT) this.tabs.delete(key)
  }

  private leave(key: object): void {
    this.tabs.delete(key)
    if (this.tabs.size > 0) return
    this.link?.close()
    this.link = null
    this.status = 'connecting'
  }
}
