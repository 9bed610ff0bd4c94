import { type FromHub, Hub, type ToHub } from './hub'
import type { LinkStatus } from './link'
import type { LiveEvent, SessionChanged } from './events'
import { storeOf } from './store'

export interface StreamOut {
  session(changed: SessionChanged): void
  /** `isEarly`: it was so before the page was drawn, and before it asked for anything. */
  status(status: LinkStatus, isEarly: boolean): void
}

const BEAT = 20_000
const HIDDEN_FLUSH = 250
/** Milliseconds between two paints of growing text: layout and paint cost more than all scripts. */
const TEXT_FRAME = 30

type Post = (message: ToHub) => void
const noWorker: Post = () => undefined

let post = noWorker
let reader: StreamOut | null = null
/** Events that came before the stream has a reader. */
let early: FromHub[] = []
/** The session that is followed since before the page was drawn. */
let ahead: string | null = null
const watched = new Set<string>()
const queues = new Map<string, LiveEvent[]>()
let flushing = false
let lastFlush = -Infinity

/** Opens the stream of this tab and follows a session that is not read yet: its events come while the page is drawn. */
export function openAhead(sessionId: string): void {
  ahead = sessionId
  watched.add(sessionId)
  post = connectHub(receive)
  announce(sessionId)
}

/** The session that was followed ahead is not there: without it the stream can be had. */
export function dropAhead(sessionId: string): void {
  if (ahead !== sessionId) return
  ahead = null
  watched.delete(sessionId)
  announce()
}

/** Reads the one stream of this tab. Call once; the answer closes it. */
export function startStream(out: StreamOut): () => void {
  reader = out
  if (post === noWorker) {
    post = connectHub(receive)
    announce()
  }
  for (const message of early.splice(0)) receive(message, true)
  const beat = setInterval(() => post({ type: 'beat' }), BEAT)
  const leave = () => post({ type: 'bye' })
  const reloadIfRestored = (event: PageTransitionEvent) => event.persisted && location.reload()
  const retry = () => post({ type: 'retry' })
  const hide = () => document.hidden && flushing && flush() // a hidden page has no frames
  document.addEventListener('visibilitychange', hide)
  addEventListener('pagehide', leave)
  addEventListener('pageshow', reloadIfRestored)
  addEventListener('online', retry)
  return () => {
    clearInterval(beat)
    document.removeEventListener('visibilitychange', hide)
    removeEventListener('pagehide', leave)
    removeEventListener('pageshow', reloadIfRestored)
    removeEventListener('online', retry)
    leave()
    post = noWorker
    reader = null
  }
}

/** Follows a session until the answer is called. */
export function watch(sessionId: string): () => void {
  watched.add(sessionId)
  if (ahead === sessionId) ahead = null
  else announce(sessionId)
  return () => {
    watched.delete(sessionId)
    announce()
  }
}

export const retryStream = () => post({ type: 'retry' })

function announce(added?: string): void {
  const names = added ? [added] : []
  const from = Object.fromEntries(names.map((id) => [id, placeOf(id)]))
  post({ type: 'watch', sessions: [...watched], from })
}

function placeOf(sessionId: string): string | null {
  const { epoch, seq } = storeOf(sessionId).getState()
  return epoch > 0 ? `${epoch}-${seq}` : null
}

function connectHub(receive: (message: FromHub) => void): (message: ToHub) => void {
  if (typeof SharedWorker === 'undefined') return inTab(receive)
  const worker = new SharedWorker(new URL('./stream.worker.ts', import.meta.url), {
    type: 'module',
    name: 'pilothouse-stream',
  })
  worker.onerror = () => {
    post = inTab(receive)
    announceAll()
  }
  worker.port.onmessage = (event: MessageEvent<FromHub>) => receive(event.data)
  return (message) => worker.port.postMessage(message)
}

function inTab(receive: (message: FromHub) => void): (message: ToHub) => void {
  const hub = new Hub()
  const tab = {}
  hub.join(tab, receive)
  return (message) => hub.receive(tab, message)
}

function announceAll(): void {
  const from = Object.fromEntries([...watched].map((id) => [id, placeOf(id)]))
  post({ type: 'watch', sessions: [...watched], from })
}

function receive(message: FromHub, isEarly = false): void {
  if (message.type === 'event' && message.name !== 'session') enqueue(JSON.parse(message.data) as LiveEvent)
  else if (!reader) keep(message)
  else if (message.type === 'status') reader.status(message.status, isEarly)
  else reader.session(JSON.parse(message.data) as SessionChanged)
}

/** After a login the page opens a stream of its own. */
function keep(message: FromHub): void {
  early.push(message)
  if (message.type !== 'status' || message.status !== 'signed-out') return
  if (ahead) watched.delete(ahead)
  post({ type: 'bye' })
  post = noWorker
  ahead = null
  early = []
}

/** Events wait for the next frame and are folded together; text, while it grows, for every second one. */
function enqueue(event: LiveEvent): void {
  const queue = queues.get(event.session_id)
  if (queue) queue.push(event)
  else queues.set(event.session_id, [event])
  if (flushing) return
  flushing = true
  if (document.hidden) setTimeout(flush, HIDDEN_FLUSH)
  else requestAnimationFrame(flush)
}

function flush(): void {
  const now = performance.now()
  if (now - lastFlush < TEXT_FRAME && !document.hidden && [...queues.values()].flat().every(isText)) {
    requestAnimationFrame(flush)
    return
  }
  flushing = false
  lastFlush = now
  for (const [sessionId, events] of queues) storeOf(sessionId).getState().receive(events)
  queues.clear()
}

const isText = ({ type }: LiveEvent) => type === 'token' || type === 'thinking'
