import type { FromServer, ToServer } from './protocol'
import { apiAddress } from '@/lib/base'

export interface LinkOut {
  opened(): void
  /** The connection broke; it is opened again by itself. */
  lost(): void
  onMessage(message: FromServer): void
  frame(picture: Blob, width: number, height: number): void
}

export interface LiveLink {
  send(message: ToServer): void
  close(): void
}

const FIRST_DELAY = 500
const LAST_DELAY = 10_000

/** One WebSocket to a session's live view, opened again until it is closed. */
export function openLiveLink(address: string, protocols: string[], out: LinkOut): LiveLink {
  let socket: WebSocket
  let timer: ReturnType<typeof setTimeout> | undefined
  let delay = FIRST_DELAY
  let size = { width: 0, height: 0 }
  let isClosed = false

  function connect(): void {
    socket = new WebSocket(address, protocols)
    socket.binaryType = 'blob'
    socket.onopen = () => {
      delay = FIRST_DELAY
      out.opened()
    }
    socket.onmessage = (event: MessageEvent<string | Blob>) => receive(event.data)
    socket.onclose = retry
  }

  function receive(data: string | Blob): void {
    if (typeof data !== 'string') return out.frame(data, size.width, size.height)
    const message = JSON.parse(data) as FromServer
    if (message.type === 'frame') size = message
    else out.onMessage(message)
  }

  function retry(): void {
    if (isClosed) return
    out.lost()
    timer = setTimeout(connect, delay)
    delay = Math.min(delay * 2, LAST_DELAY)
  }

  connect()
  return {
    send(message) {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      socket.close()
    },
  }
}

/** `path` below `/api`. */
export function liveAddress(path: string): string {
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:'
  return `${scheme}//${location.host}${apiAddress(`/${path}`)}`
}
