import { wordbook } from '@/i18n'

export const allowWords = wordbook(
  {
    'allow.for': 'Allow this kind of action on this site',
    'approve.run': 'Approve for this run',
    'approve.session': 'Approve for this session',
    'approve.automation': 'Approve for this automation',
    'approve.always': 'Approve and always allow on {site}',
    'allow.limits': 'Limits',
    'allow.never': 'You are asked about this each time.',
  },
  {
    'allow.for': 'Разрешить такое на этом сайте',
    'approve.run': 'Разрешить на этот запуск',
    'approve.session': 'Разрешить в этой сессии',
    'approve.automation': 'Разрешить в этой автоматизации',
    'approve.always': 'Разрешить и всегда разрешать на {site}',
    'allow.limits': 'Ограничения',
    'allow.never': 'О таком агент спрашивает каждый раз.',
  },
)
