import { wordbook } from '@/i18n'

export const words = wordbook('usage', {
  'usage.run': 'This run',
  'usage.session': 'Whole session',
  'usage.steps': 'Steps',
  step: { one: '{n} step', other: '{n} steps' },
  'step.of': '{n} of {of} steps',
  'step.near': { one: '{left} left', other: '{left} left' },
  'usage.tokens.all': 'Tokens',
  'usage.cost': 'Cost',
  'usage.time': 'Time',
  'usage.in': 'In',
  'usage.out': 'Out',
  'usage.cached': 'of which cached',
  'usage.calls': 'Model calls',
  'usage.of': '{n} of {of}',
  'usage.second': 'of which {model}: {used}',
  'usage.near': '{percent} used',
  'usage.cost.unknown': 'price unknown',
  'usage.limits': 'Change the limits',
})
