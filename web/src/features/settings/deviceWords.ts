import { wordbook } from '@/i18n'

export const words = wordbook('devices', {
  'devices.about': 'Browsers that are signed in here. Each sign-in ends by itself after 30 days.',
  'devices.failed': 'The devices could not be loaded.',
  'devices.title': 'Signed in',
  'devices.unknown': 'Unknown browser',
  'devices.here': 'This browser',
  'devices.from': 'from {address}',
  'devices.by.password': 'by password',
  'devices.by.proxy': 'by your proxy',
  'devices.by.oidc': 'by your login provider',
  'devices.used': 'Last used',
  'devices.end': 'Sign out',
  'devices.end.of': 'Sign out {device}',
  'password.title': 'Password',
  'password.about': 'All other devices are signed out. Programs that use it as their token need the new one.',
  'password.fixed':
    'The password is the setting AUTH_TOKEN of this server. Change it there and start the server again.',
  'password.current': 'Password until now',
  'password.new': 'New password',
  'password.new.hint': '12 to 200 letters, digits and signs of a plain keyboard.',
  'password.change': 'Change the password',
  'password.changed': 'The password is changed; other devices are signed out.',
})
