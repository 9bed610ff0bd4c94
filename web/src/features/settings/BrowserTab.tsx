import { useConfig } from '@/api/queries'
import type { Settings } from '@/api/types'
import { useWords } from '@/i18n'
import { ChoiceSetting, HostsSetting } from './inputs'
import { Facts, Section } from './Section'
import { SettingsForm } from './SettingsForm'
import { words } from './words'

export function BrowserTab({ settings }: { settings: Settings }) {
  const t = useWords(words)
  const config = useConfig()
  const profiles = (['session', 'shared', 'fresh'] as const).map((value) => ({ value, label: t(`browser.profile.${value}`) }))
  return (
    <>
      <SettingsForm names={['browser_profile', 'allowed_hosts', 'blocked_hosts']}>
        <ChoiceSetting name="browser_profile" label={t('browser.profile')} settings={settings} options={profiles} />
        <HostsSetting name="allowed_hosts" label={t('browser.allowed')} note={t('browser.allowed.note')} settings={settings} />
        <HostsSetting name="blocked_hosts" label={t('browser.blocked')} note={t('browser.blocked.note')} settings={settings} />
      </SettingsForm>
      {config && (
        <Section title={t('browser.fixed')}>
          <Facts
            facts={[
              [t('browser.window'), t(config.headless ? 'browser.headless' : 'browser.headed')],
              [t('browser.max'), config.limits.max_browsers],
            ]}
          />
        </Section>
      )}
    </>
  )
}
