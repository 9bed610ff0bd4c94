import type { Pending } from '@/api/types'
import type { Key, Translate } from '@/i18n'
import { en } from '@/i18n/en'

/** What the other lines or the picture show. */
const HIDDEN = new Set(
  'id kind type name eid reason commits element target at to start end double'.split(' '),
)

/** The rest of the action: what a person should see before saying yes. */
export function payloadOf(question: Pending): [string, string][] {
  return Object.entries(question.action ?? {})
    .filter(([name, value]) => !HIDDEN.has(name) && value !== null && value !== '')
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
}

/** Why it asks. The rules' own reasons are in the language of the page, all others as they came. */
export function reasonWords({ risk, reason }: Pending, t: Translate): string {
  const key = `risk.${risk}` as Key
  return en[key] === reason ? t(key) : reason
}
