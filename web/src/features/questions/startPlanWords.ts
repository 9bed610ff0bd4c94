import { wordbook } from '@/i18n'

export const startWords = wordbook('startPlan', {
  'start.title': 'Start this run?',
  'start.none': 'The model gave no plan. Each act that needs your approval is asked about.',
  'start.effects': 'Tick what it may do without asking again',
  'start.effects.none': 'It foresees nothing that needs your approval.',
  'start.outside': 'Everything else is asked about when it comes up, with its amount.',
  'start.effect': { one: '{kind}, once, on', other: '{kind}, up to {n} times, on' },
  'start.yes': 'Start',
  'start.no': 'Do not start',
  'start.note': 'Ask for another plan…',
  'start.note.hint': 'What should the plan be like?',
  'start.send': 'Ask for it',
})
