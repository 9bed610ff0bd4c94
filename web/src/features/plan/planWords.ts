import { wordbook } from '@/i18n'

export const words = wordbook(
  {
    'step.todo': 'To do',
    'step.doing': 'In progress',
    'step.done': 'Done',
    'step.failed': 'Failed',
    'step.skipped': 'Skipped',
  },
  {
    'step.todo': 'Впереди',
    'step.doing': 'Сейчас',
    'step.done': 'Сделано',
    'step.failed': 'Не получилось',
    'step.skipped': 'Пропущено',
  },
)
