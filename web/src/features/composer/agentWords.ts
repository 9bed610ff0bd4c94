import { wordbook } from '@/i18n'

export const words = wordbook(
  {
    first: 'Ask before starting',
    'first.about': 'Shows the plan and what it is about to do. Nothing happens before your yes.',
    'first.on': 'asks before starting',
  },
  {
    first: 'Спрашивать перед началом',
    'first.about': 'Показывает план и что собирается сделать. Без вашего «да» ничего не происходит.',
    'first.on': 'спрашивает перед началом',
  },
)
