import { useEffect } from 'react'
import { createStore, type StoreApi, useStore } from 'zustand'
import type { Box } from '@/api/types'
import { countSubscribers, Recent } from '@/lib/recent'
import { plainName } from '@/session/toolWords'
import { setHolding } from './holding'
import { type LiveLink, liveAddress, openLiveLink } from './liveLink'
import { Painter } from './painter'
import type {
  FocusedField,
  FromServer,
  LiveStateMessage,
  LoginToKeep,
  PageElement,
  ToServer,
} from './protocol'

export interface LiveState extends Omit<LiveStateMessage, 'type' | 'url' | 'title' | 'viewport'> {
  url: string
  title: string
  /** The last one known while the browser is closed. */
  viewport: [number, number]
  link: 'connecting' | 'open' | 'lost'
  /** At least one frame was seen. */
  hasFrame: boolean
  /** Frames of the last second. */
  rate: number
  elements: PageElement[] | null
  isListLoading: boolean
  target: { box: Box; label: string } | null
  /** Where the agent acts or acted last, in percent of the page. */
  pointer: [number, number] | null
  fault: Omit<Extract<FromServer, { type: 'error' }>, 'type'> | null
  /** What was copied in the page last; another object each time. */
  copied: { text: string } | null
  /** What has the focus in the page that this device holds. */
  field: FocusedField | null
  /** The login that may be stored now. */
  login: LoginToKeep | null
}

const CLOSED: LiveState = {
  link: 'connecting',
  holder: 'none',
  browser: 'closed',
  url: '',
  title: '',
  viewport: [1280, 800],
  tabs: [],
  security: null,
  queue_place: null,
  hasFrame: false,
  rate: 0,
  elements: null,
  isListLoading: false,
  target: null,
  pointer: null,
  fault: null,
  copied: null,
  field: null,
  login: null,
}

const BEAT = 10_000

/** What one session's browser shows, and the wheel of it. Shared by all who look at it in this tab. */
export class LiveView {
  readonly store: StoreApi<LiveState> = createStore<LiveState>(() => CLOSED)
  private link: LiveLink | null = null
  private viewers = 0
  private isWanted = false
  private frames = 0
  private beat: ReturnType<typeof setInterval> | undefined
  private count: ReturnType<typeof setInterval> | undefined
  private ownSize: [number, number] | null = null
  private painter = new Painter(() => this.painted())
  private subscribers: () => number

  constructor(private sessionId: string) {
    this.store.subscribe(({ holder }) => setHolding(sessionId, holder === 'me'))
    this.subscribers = countSubscribers(this.store)
  }

  /** Watches until the answer is called. Who holds the browser stays connected without watching. */
  watch(): () => void {
    this.viewers += 1
    this.open()
    return () => {
      this.viewers -= 1
      this.closeIfUnused()
    }
  }

  /** A component shows its state, or the connection is open. */
  isInUse(): boolean {
    return this.subscribers() > 0 || this.link !== null
  }

  show = (canvas: HTMLCanvasElement): (() => void) => this.painter.show(canvas)

  send(message: ToServer): void {
    this.link?.send(message)
  }

  take(): void {
    this.isWanted = true
    this.open()
    this.send({ type: 'take' })
  }

  /** Makes the page as large as the place it is shown in; null gives it its own size again. */
  fit(size: [number, number] | null): void {
    const target = size ?? this.ownSize
    if (!target) return
    this.ownSize = size ? (this.ownSize ?? this.store.getState().viewport) : null
    this.send({ type: 'resize', width: target[0], height: target[1] })
  }

  /** Gives the browser back. The agent should meet the page at the size it knows. */
  release(note?: string): void {
    this.isWanted = false
    this.fit(null)
    this.send({ type: 'release', ...(note ? { note } : {}) })
    this.store.setState({ holder: 'none', elements: null, field: null, login: null })
    this.closeIfUnused()
  }

  private open(): void {
    if (this.link) return
    this.store.setState({ ...CLOSED })
    this.beat = setInterval(() => this.store.getState().holder === 'me' && this.send({ type: 'beat' }), BEAT)
    this.count = setInterval(() => this.countFrames(), 1000)
    this.link = openLiveLink(...wayTo(this.sessionId), {
      opened: () => {
        this.store.setState({ link: 'open', fault: null })
        if (this.isWanted) this.send({ type: 'take' })
      },
      lost: () => this.store.setState({ link: 'lost', holder: 'none', rate: 0 }),
      onMessage: (message) => this.receive(message),
      frame: (picture) => this.painter.add(picture),
    })
  }

  private closeIfUnused(): void {
    if (this.viewers > 0 || this.isWanted || !this.link) return
    clearInterval(this.beat)
    clearInterval(this.count)
    this.link.close()
    this.link = null
    this.painter.close()
  }

  private painted(): void {
    this.send({ type: 'ack' })
    this.frames += 1
    if (!this.store.getState().hasFrame) this.store.setState({ hasFrame: true })
  }

  private countFrames(): void {
    if (this.frames !== this.store.getState().rate) this.store.setState({ rate: this.frames })
    this.frames = 0
  }

  private receive(message: FromServer): void {
    const { setState } = this.store
    switch (message.type) {
      case 'state': {
        const { type: _, ...page } = message
        // A lease that ran out is not taken again without a person.
        if (this.store.getState().holder === 'me' && page.holder !== 'me') this.isWanted = false
        const { viewport } = this.store.getState()
        const tabs = page.tabs.map((tab) => ({ ...tab, url: named(tab.url), title: named(tab.title) }))
        const shown = {
          url: named(page.url),
          title: named(page.title),
          viewport: page.viewport ?? viewport,
          tabs,
        }
        const field = page.holder === 'me' ? this.store.getState().field : null
        return setState({ ...page, ...shown, field, fault: null })
      }
      case 'elements':
        return setState({ elements: message.items, isListLoading: message.loading ?? false })
      case 'copied':
        return setState({ copied: { text: message.text } })
      case 'field':
        return setState({ field: { keyboard: message.keyboard, picker: message.picker } })
      case 'login':
        return setState({ login: message.kind ? { host: message.host, kind: message.kind } : null })
      case 'target':
        return setState(({ pointer }) => ({
          target: message.box && { box: message.box, label: plainName(message.label) },
          pointer: message.box ? centreOf(message.box) : pointer,
        }))
      case 'error': {
        if (message.code === 'takeover_held') this.isWanted = false
        return setState({ fault: message })
      }
    }
  }
}

/** An empty page has neither a title nor an address for people; a browser gives `about:blank` for both. */
const named = (text: string | null | undefined): string => (!text || text === 'about:blank' ? '' : text)

const centreOf = ([left, top, width, height]: Box): [number, number] => [left + width / 2, top + height / 2]

/** The tokens of sessions whose browser was handed off to this device, which has no login. */
const tokens = new Map<string, string>()
export const holdHandoff = (sessionId: string, token: string) => void tokens.set(sessionId, token)

function wayTo(sessionId: string): [address: string, protocols: string[]] {
  const id = encodeURIComponent(sessionId)
  const token = tokens.get(sessionId)
  // A browser cannot set headers of a WebSocket, and addresses are logged.
  return token
    ? [liveAddress(`links/live/${id}`), ['pilothouse', token]]
    : [liveAddress(`sessions/${id}/live`), []]
}

/** How many views that are not shown stay in memory. */
export const KEPT_VIEWS = 8

const views = new Recent(
  KEPT_VIEWS,
  (sessionId) => new LiveView(sessionId),
  (view) => view.isInUse(),
)

export const liveViewOf = (sessionId: string): LiveView => views.of(sessionId)

export const useLiveState = <T>(view: LiveView, select: (state: LiveState) => T): T =>
  useStore(view.store, select)

/** Watches while `isOn`. */
export function useWatch(view: LiveView, isOn: boolean): void {
  useEffect(() => (isOn ? view.watch() : undefined), [view, isOn])
}

/** Its page can be seen as it is now. */
export const useIsLive = (view: LiveView): boolean =>
  useLiveState(view, ({ link, browser, hasFrame }) => link === 'open' && browser !== 'closed' && hasFrame)
