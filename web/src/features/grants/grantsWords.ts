import { wordbook } from '@/i18n'

export const words = wordbook('grants', {
  'grants.here': 'What this session does without asking you. Revoke a permission to be asked again.',
  'grants.about':
    'A permission lets sessions do one kind of action on one site without asking you. Revoking it takes effect at once, also for a run in progress. The agent always asks about secrets.',
  'grants.none.here': 'Nothing is allowed without asking in this session.',
  'grants.none': 'Nothing is allowed without asking.',
  'grants.none.about': 'When you approve an action, you can allow others like it on that site.',
  'grants.revoke': 'Revoke',
  'grants.revoke.what': 'Revoke: {kind} on {site}',
  'grants.failed': 'The permissions could not be loaded.',
  'grants.used': { one: '{n} time used', other: '{n} times used' },
  'grants.last': 'last {time}',
  'grants.unused': 'never used',
  'grants.over': 'Used up',
  'grants.all': 'All permissions',
  'on.run': 'this run of {title}',
  'on.session': 'session {title}',
  'on.automation': 'automation {title}',
  'on.always': 'all sessions',
})
