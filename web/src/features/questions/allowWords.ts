import { wordbook } from '@/i18n'

export const allowWords = wordbook('allow', {
  'allow.for': 'Allow this kind of action on this site',
  'approve.run': 'Approve for this run',
  'approve.session': 'Approve for this session',
  'approve.automation': 'Approve for this automation',
  'approve.always': 'Approve and always allow on {site}',
  'allow.limits': 'Limits',
  'allow.never': 'You are asked about this each time.',
})
