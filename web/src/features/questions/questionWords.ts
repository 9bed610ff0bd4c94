import type { Pending } from '@/api/types'
import type { Key, Translate } from '@/i18n'
import { en } from '@/i18n/en'
import { payloadWords } from './payloadWords'

type PayloadKey = keyof (typeof payloadWords)['en'] & string

/** What the other lines or the picture show. */
const HIDDEN = new Set(
  'id kind type name eid reason commits element target at to start end double'.split(' '),
)

/** The rest of the action: what a person should see before saying yes. `tell` has `payloadWords`. */
export function payloadOf(question: Pending, tell: (key: PayloadKey) => string): [string, string][] {
  return Object.entries(question.action ?? {})
    .filter(([name, value]) => !HIDDEN.has(name) && value !== null && value !== '')
    .map(([name, value]) => {
      const key = `payload.${name}`
      return [key in payloadWords.en ? tell(key as PayloadKey) : name, valueWords(value, tell)]
    })
}

function valueWords(value: unknown, tell: (key: PayloadKey) => string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return tell(`payload.${value}`)
  const texts = Array.isArray(value) ? value.map((one) => (one as { text?: unknown } | null)?.text) : []
  const isTold = texts.length > 0 && texts.every((text) => typeof text === 'string')
  return isTold ? texts.join('\n') : JSON.stringify(value)
}

/** Why it asks. The rules' own reasons are in the language of the page, all others as they came. */
export function reasonWords({ risk, reason }: Pending, t: Translate): string {
  const key = `risk.${risk}` as Key
  return en[key] === reason ? t(key) : reason
}
