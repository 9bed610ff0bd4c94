import { wordbook } from '@/i18n'

export const words = wordbook(
  {
    'model.needs': 'needs a key',
    'model.keys': 'Connect a model…',
  },
  {
    'model.needs': 'нужен ключ',
    'model.keys': 'Подключить модель…',
  },
)
