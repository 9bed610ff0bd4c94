import type { Pending } from '@/api/types'
import type { Key } from '@/i18n'
import type { QuestionRow } from '@/stream/rows'
import { hostOf } from '@/lib/url'
import { payloadWords } from './payloadWords'
import { titleWords } from './titleWords'

type PayloadKey = keyof (typeof payloadWords)['en'] & string
type TitleKey = keyof (typeof titleWords)['en'] & string
type Tell = (key: PayloadKey, values?: Record<string, string>) => string

/** What the other lines or the picture show. */
const HIDDEN = new Set(
  'id kind type name eid reason commits element target at to start end double'.split(' '),
)

const SPENDING = new Set<string | null>(['pay', 'order'])

/** Whether the act spends: an amount that the page mentions anywhere else is not its price. */
export const isSpending = ({ risk, spends }: Pending): boolean => !!spends || SPENDING.has(risk)

/** What is asked, as a sentence: with the sum where the act spends, which is what a yes is about. */
export function titleOf(question: Pending, tell: (key: TitleKey, values: Record<string, string>) => string) {
  const { risk, amount } = question
  const site = hostOf(question.url)
  if (!site || !amount || (risk !== 'pay' && risk !== 'order')) return null
  return tell(`title.${risk}`, { amount, site })
}

/** The rest of the action: what a person should see before saying yes. `tell` has `payloadWords`. */
export function payloadOf(question: Pending, tell: Tell): [string, string][] {
  return Object.entries(question.action ?? {})
    .filter(([name, value]) => !HIDDEN.has(name) && value !== null && value !== '')
    .flatMap(([name, value]): [string, string][] => {
      if (name === 'args' && typeof value === 'object')
        return Object.entries(value as object).map(([one, given]) => [one, valueWords(given, tell)])
      const key = `payload.${name}`
      const word = key in payloadWords.en ? tell(key as PayloadKey) : name
      return fieldsOf(value, word, tell) ?? [[word, valueWords(value, tell)]]
    })
}

/** Each text with the name of its field. The card's title has the name of the only one. */
function fieldsOf(value: unknown, word: string, tell: Tell): [string, string][] | null {
  const fields: { name?: unknown; text?: unknown; value?: unknown }[] = Array.isArray(value) ? value : []
  const told = fields.map((field) => [field?.name, field?.text ?? field?.value])
  if (!told.length || told.some(([, text]) => typeof text !== 'string')) return null
  return told.map(([name, text]) => [
    name && told.length > 1 ? tell('payload.field', { name: String(name) }) : word,
    String(text),
  ])
}

function valueWords(value: unknown, tell: Tell): string {
  if (typeof value === 'string') return value
  return typeof value === 'boolean' ? tell(`payload.${value}`) : JSON.stringify(value)
}

/** What the person did with a question that is closed, by what they were asked until the server reports it. */
export function answerWord({ question: { kind, wants, start }, answer, outcome, note }: QuestionRow): Key {
  if (outcome) return `question.${outcome}`
  if (start && answer === 'no' && note) return 'question.replan'
  if (answer !== 'yes' || kind !== 'manual') return `question.${answer as 'yes' | 'no' | 'void'}`
  return wants === 'answer' ? 'question.answered' : 'question.done'
}
