import { wordbook } from '@/i18n'

export const words = wordbook('stepGroup', {
  worked: 'Worked {time}',
  steps: { one: '{n} step', other: '{n} steps' },
  sites: { one: '{n} site', other: '{n} sites' },
  approved: { one: '{n} approved', other: '{n} approved' },
  failed: { one: '{n} failed', other: '{n} failed' },
})
