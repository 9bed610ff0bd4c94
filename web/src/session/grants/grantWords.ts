import { wordbook } from '@/i18n'

/** What permissions are called wherever they are given, listed or named. */
export const words = wordbook('grant', {
  'kind.pay': 'Spend or move money',
  'kind.order': 'Place orders and bookings',
  'kind.send': 'Send something to other people',
  'kind.publish': 'Make something public',
  'kind.delete': 'Delete or overwrite',
  'kind.end': 'Cancel or end something',
  'kind.account': 'Change an account or a subscription',
  'kind.legal': 'Make binding statements',
  'kind.system': 'Change a running system',
  'kind.approve': 'Answer requests of other people',
  'kind.credential': 'Hand secrets to the page',
  'kind.upload': 'Hand files to the page',
  'kind.unknown_submit': 'Submit something with an unclear name',
  'kind.point': 'Act on places of the picture that have no name',
  'kind.tool': 'Use a tool',
  'kind.transfer': 'Take text from private pages there',
  'scope.once': 'Only this once',
  'scope.run': 'For this run',
  'scope.session': 'In this session',
  'scope.automation': 'In this automation',
  'scope.always': 'Always, in all sessions',
  'limit.count': 'At most this many times',
  'limit.end': 'Until the end of',
  'limit.act': 'At most per act ({currency})',
  'limit.month': 'At most per month ({currency})',
  'limit.amount.hint': 'If the amount is unclear, it asks.',
  'limit.none': 'no limits',
  'limit.count.of': '{uses} of {count} times used',
  'limit.end.at': 'until {time}',
  'limit.act.of': 'up to {amount} per act',
  'limit.month.of': '{spent} of {amount} this month',
})

type GrantKey = keyof (typeof words)['en'] & string
export type GrantTranslate = (key: GrantKey, vars?: Record<string, string | number>) => string

/** A kind that is not known here is named as the server does. */
export function kindWords(kind: string, t: GrantTranslate): string {
  const key = `kind.${kind}`
  return key in words.en ? t(key as GrantKey) : kind
}
