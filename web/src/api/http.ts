import { translate } from '@/i18n'
import { inLanguage } from '@/i18n/sentences'
import type { Parts } from './types'
import { apiAddress } from '@/lib/base'

/** What the server said no to, in its own words: `application/problem+json`, or a lost connection (status 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly requestId: string | null = null,
    readonly retryAfter: number | null = null,
  ) {
    super(detail)
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type SignedOut = () => void

let onSignedOut: SignedOut = () => undefined

export function whenSignedOut(then: SignedOut): void {
  onSignedOut = then
}

export async function request<T>(method: Method, path: string, body?: unknown): Promise<T> {
  return parse<T>(await requestText(method, path, body))
}

/** The answer as it is, such as a file. */
export async function requestText(method: Method, path: string, body?: unknown): Promise<string> {
  const response = await send(method, path, body)
  if (response.ok) return response.text()
  const error = await problem(response)
  if (error.status === 401 && !path.startsWith('/auth/')) onSignedOut()
  throw error
}

/** Some answers have no body. */
const parse = <T>(body: string) => (body ? JSON.parse(body) : undefined) as T

/** Browsers refuse such requests when they hold more than 64 KiB together. */
const KEPT_CHARS = 4096

/** What the person did reaches the server although the page is left before it is sent. */
export const outlivesPage = (body?: BodyInit | null): boolean =>
  body == null || (typeof body === 'string' && body.length <= KEPT_CHARS)

async function send(method: Method, path: string, body?: unknown): Promise<Response> {
  const content = contentOf(body)
  const keepalive = method !== 'GET' && outlivesPage(content.body)
  try {
    return await fetch(apiAddress(path), { method, credentials: 'same-origin', keepalive, ...content })
  } catch {
    throw unreachable()
  }
}

export const unreachable = () => new ApiError(0, 'unreachable', `${translate('server.away')}.`)

function contentOf(body: unknown): RequestInit {
  if (body === undefined) return {}
  if (body instanceof FormData) return { body }
  return { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }
}

/** The server begins what it says of a refused field with its name: `max_tool_steps: Input should be ...`. */
export function refusedField<N extends string>(error: Error, names: readonly N[]) {
  const [, name, detail] = /^(?:body\.)?([\w.]+): (.+)$/s.exec(error.message) ?? []
  const field = error instanceof ApiError ? names.find((one) => one === name) : undefined
  return { field, detail: field === undefined ? error.message : (detail ?? '') }
}

export async function problem(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>
  const detail = typeof body.detail === 'string' ? body.detail : String(body.title ?? response.statusText)
  const words = inLanguage(detail, body.detail_parts as Parts | undefined)
  const wait = Number(response.headers.get('Retry-After')) || null
  const id = typeof body.request_id === 'string' ? body.request_id : null
  return new ApiError(response.status, String(body.code ?? response.status), words, id, wait)
}
