import { wordbook } from '@/i18n'

export const changeWords = wordbook('change', {
  'change.first': 'first result',
  'change.begins': 'First result: later ones are compared with it',
  'change.same': 'nothing has changed',
  'change.changed': 'the answer has changed',
  'change.since': 'Since the last run: {what}',
  'change.added': '{n} added',
  'change.removed': '{n} removed',
  'change.altered': '{n} changed',
  'change.is.added': 'Added',
  'change.is.removed': 'Removed',
  'change.is.changed': 'Changed',
  'change.sort': 'Change',
  'change.more': { one: 'and {n} more row', other: 'and {n} more rows' },
})

export type Counts = Partial<Record<'added' | 'removed' | 'changed', number>>
type ChangeKey = keyof (typeof changeWords)['en'] & string

/** `2 added, 1 changed`; "" if nothing is. */
export const countWords = (
  counts: Counts,
  t: (key: ChangeKey, vars?: Record<string, string | number>) => string,
): string =>
  (['added', 'removed', 'changed'] as const)
    .filter((name) => counts[name])
    .map((name) => t(`change.${name === 'changed' ? 'altered' : name}`, { n: counts[name] ?? 0 }))
    .join(', ')
