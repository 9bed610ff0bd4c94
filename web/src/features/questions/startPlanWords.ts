import { wordbook } from '@/i18n'

export const startWords = wordbook(
  {
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
  },
  {
    'start.title': 'Начать этот запуск?',
    'start.none': 'Модель не дала плана. О каждом действии, которому нужно разрешение, агент спросит.',
    'start.effects': 'Отметьте, что можно делать без нового вопроса',
    'start.effects.none': 'Действий, которым нужно ваше разрешение, не предвидится.',
    'start.outside': 'Обо всём остальном агент спросит, когда до этого дойдёт, и назовёт сумму.',
    'start.effect': {
      one: '{kind}: один раз, на',
      few: '{kind}: до {n} раз, на',
      many: '{kind}: до {n} раз, на',
      other: '{kind}: до {n} раз, на',
    },
    'start.yes': 'Начать',
    'start.no': 'Не начинать',
    'start.note': 'Попросить другой план…',
    'start.note.hint': 'Каким должен быть план?',
    'start.send': 'Попросить',
  },
)
