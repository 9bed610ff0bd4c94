import { wordbook } from '@/i18n'

export const words = wordbook(
  {
    'cut.length': 'Cut off at the length limit',
    'cut.stream': 'Cut off: the connection to the model broke',
    continues: 'Goes on from the cut answer above',
    without_browser: 'Answered without the browser',
  },
  {
    'cut.length': 'Оборвано на пределе длины',
    'cut.stream': 'Оборвано: связь с моделью прервалась',
    continues: 'Продолжение оборванного ответа выше',
    without_browser: 'Ответ дан без браузера',
  },
)
