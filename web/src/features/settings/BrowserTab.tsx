import { useConfig } from '@/api/queries'
import type { Settings } from '@/api/types'
import { useWords } from '@/i18n'
import { ChoiceSetting, HostsSetting, NumberSetting, SelectSetting } from './inputs'
import { KeptSiteList } from '@/session/keptSites/KeptSiteList'
import { words as keptWords } from '@/session/keptSites/keptSiteWords'
import { Section } from './Section'
import { SettingsForm } from './SettingsForm'
import { words } from './settingsWords'

export function BrowserTab({ settings }: { settings: Settings }) {
  const t = useWords(words)
  const kept = useWords(keptWords)
  const profiles = (['session', 'shared', 'fresh'] as const).map((value) => ({
    value,
    label: t(`browser.profile.${value}`),
  }))
  return (
    <>
      <SettingsForm
        names={['max_browsers', 'browser_headless', 'browser_profile', 'allowed_hosts', 'blocked_hosts']}
      >
        <NumberSetting
          name="max_browsers"
          label={t('browser.max')}
          note={t('browser.max.note')}
          settings={settings}
          min={1}
        />
        <WindowSetting settings={settings} />
        <ChoiceSetting
          name="browser_profile"
          label={t('browser.profile')}
          settings={settings}
          options={profiles}
        />
        <HostsSetting
          name="allowed_hosts"
          label={t('browser.allowed')}
          note={t('browser.allowed.note')}
          settings={settings}
        />
        <HostsSetting
          name="blocked_hosts"
          label={t('browser.blocked')}
          note={t('browser.blocked.note')}
          settings={settings}
        />
      </SettingsForm>
      <Section title={kept('kept.title')} about={kept('kept.about')}>
        <KeptSiteList />
      </Section>
    </>
  )
}

/** Left to the server only where its environment leaves it open; a window only where there is a screen. */
function WindowSetting({ settings }: { settings: Settings }) {
  const t = useWords(words)
  const hasDisplay = useConfig()?.has_display ?? true
  const options = [
    { value: 'auto', label: t('browser.window.auto') },
    { value: 'true', label: t('browser.window.never') },
    { value: 'false', label: t('browser.window.always'), disabled: !hasDisplay },
  ]
  const isOpen = settings.defaults.browser_headless === null
  return (
    <SelectSetting
      name="browser_headless"
      label={t('browser.window')}
      note={[t('browser.window.note'), !hasDisplay && t('browser.window.none')].filter(Boolean).join(' ')}
      settings={settings}
      options={isOpen ? options : options.slice(1)}
    />
  )
}
