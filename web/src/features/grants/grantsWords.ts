import { wordbook } from '@/i18n'

export const words = wordbook(
  {
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
  },
  {
    'grants.here': 'Что эта сессия делает, не спрашивая вас. Если отозвать разрешение, агент спросит снова.',
    'grants.about':
      'Разрешение позволяет сессиям делать без вопроса что-то одно на одном сайте. Отзыв действует сразу, и для идущего запуска тоже. О секретах агент спрашивает всегда.',
    'grants.none.here': 'В этой сессии ничего не разрешено без вопроса.',
    'grants.none': 'Без вопроса ничего не разрешено.',
    'grants.none.about': 'Разрешая действие, можно разрешить и другие такие же на этом сайте.',
    'grants.revoke': 'Отозвать',
    'grants.revoke.what': 'Отозвать: {kind} на {site}',
    'grants.failed': 'Не удалось загрузить разрешения.',
    'grants.used': {
      one: 'использовано {n} раз',
      few: 'использовано {n} раза',
      many: 'использовано {n} раз',
      other: 'использовано {n} раза',
    },
    'grants.last': 'последний раз {time}',
    'grants.unused': 'не использовано',
    'grants.over': 'Исчерпано',
    'grants.all': 'Все разрешения',
    'on.run': 'этот запуск в «{title}»',
    'on.session': 'сессия «{title}»',
    'on.automation': 'автоматизация «{title}»',
    'on.always': 'все сессии',
  },
)
