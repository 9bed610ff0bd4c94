import { wordbook } from '@/i18n'

export const words = wordbook('keptSites', {
  'kept.title': 'Stay signed in',
  'kept.about':
    'Sites at which new browsers of all sessions are signed in already. Only cookies of that site are kept, encrypted.',
  'kept.failed': 'The list could not be loaded.',
  'kept.none': 'None yet: sign in at a site in a session, then choose this in the menu of the session.',
  'kept.until': 'until {date}',
  'kept.cookies': { one: '{n} cookie', other: '{n} cookies' },
  'kept.used': 'Last used',
  'kept.end': 'End',
  'kept.end.of': 'Stay signed in at {site} no longer',
  'kept.end.note':
    'Sessions that have it already keep it. Signing out at the site itself ends it everywhere.',
  'kept.keep.about':
    'The site of the page that is open in this session: its cookies are kept and given to the browsers of all sessions, those of automations too, when they start next. Nothing of other sites is kept.',
  'kept.days': 'Days',
  'kept.keep': 'Stay signed in for all sessions',
  'kept.done': 'You stay signed in at {site} for all sessions.',
})
