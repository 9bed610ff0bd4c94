import { EVENT_TYPES } from './events'
import { apiAddress } from '@/lib/base'

export type LinkStatus = 'connecting' | 'live' | 'lost' | 'signed-out'

export interface LinkOut {
  event(name: string, data: string): void
  status(status: LinkStatus): void
}

/** Sessions to follow, each with the `<epoch>-<seq>` after which to begin; null: from the buffer's start. */
export type Watched = Record<string, string | null>

export interface Link {
  watch(sessions: string[], from: Watched): void
  retry(): void
  close(): void
}

const FIRST_DELAY = 500
const LAST_DELAY = 15_000

/**
 * One EventSource on `GET /api/stream`, opened again for ever until the login is gone.
 *
 * We reconnect ourselves: the browser gives up for good on any status but 200, and its `Last-Event-ID`
 * names one session where we follow several.
 */
export function openLink(out: LinkOut): Link {
  const seen = new Map<string, string>()
  let sessions: string[] = []
  let source: EventSource | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let delay = FIRST_DELAY

  function receive(name: string, event: MessageEvent<string>): void {
    const [session, place] = event.lastEventId.split('/')
    if (session && place) seen.set(session, place)
    out.event(name, event.data)
  }

  function connect(): void {
    source?.close()
    const opened = new EventSource(address(sessions, seen))
    source = opened
    opened.onopen = () => {
      delay = FIRST_DELAY
      out.status('live')
    }
    opened.onerror = (event) => {
      if (source === opened && !isMessage(event)) void lose()
    }
    for (const name of ['session', ...EVENT_TYPES]) {
      opened.addEventListener(name, (event) => isMessage(event) && receive(name, event))
    }
  }

  async function lose(): Promise<void> {
    source?.close()
    source = null
    out.status('lost')
    if (await isSignedOut()) out.status('signed-out')
    else later(delay * (0.75 + Math.random() / 2))
    delay = Math.min(delay * 2, LAST_DELAY)
  }

  function later(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(connect, ms)
  }

  return {
    watch(wanted, from) {
      sessions = wanted
      for (const [session, place] of Object.entries(from)) {
        if (place === null) seen.delete(session)
        else seen.set(session, place)
      }
      later(0)
    },
    retry: () => later(0),
    close() {
      clearTimeout(timer)
      source?.close()
      source = null
    },
  }
}

/** A run's `error` comes under the same name as the loss of the connection, but it has data. */
const isMessage = (event: Event): event is MessageEvent<string> => 'data' in event

function address(sessions: string[], seen: Map<string, string>): string {
  const after = sessions.filter((id) => seen.has(id)).map((id) => `${id}/${seen.get(id)}`)
  const query = new URLSearchParams()
  if (sessions.length) query.set('sessions', sessions.join(','))
  if (after.length) query.set('after', after.join(','))
  return apiAddress(query.size ? `/stream?${query}` : '/stream')
}

async function isSignedOut(): Promise<boolean> {
  try {
    return (await fetch(apiAddress('/auth/me'), { credentials: 'same-origin' })).status === 401
  } catch {
    return false
  }
}
