import type { Pending } from '@/api/types'
import { toolWords } from '@/features/chat/toolWords'
import type { Key, Translate } from '@/i18n'
import { en } from '@/i18n/en'

/** What would be done, in the words of the feed: "Click Place order". */
export function actionWords(ask: Pending, t: Translate): string {
  const action = ask.action ?? {}
  const kind = String(action.kind ?? action.type ?? action.name ?? '')
  const words = toolWords({ name: kind, args: action }, false)
  const object = ask.target?.name ?? words.object ?? ''
  return `${words.verb ? t(words.verb) : words.name} ${object && `“${object}”`}`.trim()
}

/** The rest of the action: what a person should see before saying yes. */
export function payloadOf(ask: Pending): [string, string][] {
  const hidden = new Set(['id', 'kind', 'type', 'name', 'eid', 'reason', 'commits', 'element', 'target'])
  return Object.entries(ask.action ?? {})
    .filter(([name, value]) => !hidden.has(name) && value !== null && value !== '')
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
}

/** Why it asks. The rules' own reasons are told in the language of the page, all others as they came. */
export function reasonWords({ risk, reason }: Pending, t: Translate): string {
  const key = `risk.${risk}` as Key
  return en[key] === reason ? t(key) : reason
}
