import { wordbook } from '@/i18n'

export const words = wordbook(
  {
    'model.needs': 'needs {key}',
    'model.keys': 'Set keys of providers…',
  },
  {
    'model.needs': 'нужен ключ {key}',
    'model.keys': 'Задать ключи провайдеров…',
  },
)
