import { wordbook } from '@/i18n'

export const allowWords = wordbook(
  {
    'allow.for': 'Allow this kind of action on this site',
    'allow.limits': 'Limits',
    'allow.never': 'You are asked about this each time.',
  },
  {
    'allow.for': 'Разрешить такое на этом сайте',
    'allow.limits': 'Ограничения',
    'allow.never': 'О таком агент спрашивает каждый раз.',
  },
)
