import { wordbook } from '@/i18n'

export const words = wordbook(
  {
    worked: 'Worked {time}',
    steps: { one: '{n} step', other: '{n} steps' },
    sites: { one: '{n} site', other: '{n} sites' },
    approved: { one: '{n} approved', other: '{n} approved' },
    failed: { one: '{n} failed', other: '{n} failed' },
  },
  {
    worked: 'Работа {time}',
    steps: { one: '{n} шаг', few: '{n} шага', many: '{n} шагов', other: '{n} шага' },
    sites: { one: '{n} сайт', few: '{n} сайта', many: '{n} сайтов', other: '{n} сайта' },
    approved: {
      one: '{n} разрешение',
      few: '{n} разрешения',
      many: '{n} разрешений',
      other: '{n} разрешения',
    },
    failed: { one: '{n} неудача', few: '{n} неудачи', many: '{n} неудач', other: '{n} неудачи' },
  },
)
