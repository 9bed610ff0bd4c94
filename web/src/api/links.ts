import { outlivesPage, problem, unreachable } from './http'
import type { components } from './schema'
import type { Decision, OpenQuestion } from './types'
import { apiAddress } from '@/lib/base'

type Schemas = components['schemas']

/** What the holder of a one-use link may ask for. The secret goes in a header: addresses are logged. */
async function request(secret: string, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, 'Pilothouse-Link': secret }
  const answer = await fetch(apiAddress(`/links/${path}`), { credentials: 'omit', ...init, headers }).catch(
    () => {
      throw unreachable()
    },
  )
  if (!answer.ok) throw await problem(answer)
  return answer
}

function post(secret: string, path: string, content: unknown) {
  const body = JSON.stringify(content)
  const headers = { 'Content-Type': 'application/json' }
  return request(secret, path, { method: 'POST', headers, body, keepalive: outlivesPage(body) })
}

export const links = {
  question: async (secret: string): Promise<OpenQuestion> => {
    const question = (await (await request(secret, 'question')).json()) as OpenQuestion
    return { ...question, screenshot: question.screenshot && (await picture(secret)) }
  },
  decide: (secret: string, { confirmed, done, message, effects }: Decision) =>
    post(secret, 'question/decision', { confirmed, done, message, effects }),
  /** Leaves a cookie, which the page of the replay and its files are asked for with. */
  openReplay: (secret: string) =>
    request(secret, 'replay/open', { method: 'POST', credentials: 'same-origin' }),
  openHandoff: async (secret: string) =>
    (await (await post(secret, 'handoff/open', undefined)).json()) as Schemas['HandoffOpened'],
  handoff: async (token: string) =>
    (await (await request(token, 'handoff')).json()) as Schemas['HandoffHeld'],
}

/** A card without its picture is better than none. */
const picture = (secret: string): Promise<string | null> =>
  request(secret, 'question/picture').then(
    async (answer) => URL.createObjectURL(await answer.blob()),
    () => null,
  )
