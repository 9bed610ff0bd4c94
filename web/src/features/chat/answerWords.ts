import { wordbook } from '@/i18n'

export const words = wordbook(
  {
    'cut.length': 'Cut off at the length limit',
    'cut.stream': 'Cut off: the connection to the model broke',
    continues: 'Goes on from the cut answer above',
    unfinished: 'Unfinished: the run ended here, so this text was not saved.',
    without_browser: 'Answered without the browser',
    chips: 'What came of it',
    'chip.save': 'Save {name}',
    'chip.table': { one: 'Table, {n} row', other: 'Table, {n} rows' },
  },
  {
    'cut.length': 'Оборвано на пределе длины',
    'cut.stream': 'Оборвано: связь с моделью прервалась',
    continues: 'Продолжение оборванного ответа выше',
    unfinished: 'Не закончено: запуск прервался здесь, этот текст не сохранён.',
    without_browser: 'Ответ дан без браузера',
    chips: 'Что получилось',
    'chip.save': 'Сохранить {name}',
    'chip.table': {
      one: 'Таблица, {n} строка',
      few: 'Таблица, {n} строки',
      many: 'Таблица, {n} строк',
      other: 'Таблица, {n} строки',
    },
  },
)
