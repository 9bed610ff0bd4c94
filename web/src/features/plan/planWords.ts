import { wordbook } from '@/i18n'

export const words = wordbook('plan', {
  'step.todo': 'To do',
  'step.doing': 'In progress',
  'step.done': 'Done',
  'step.failed': 'Failed',
  'step.skipped': 'Skipped',
})
