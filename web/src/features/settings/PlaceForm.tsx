import type { Settings } from '@/api/types'
import { useWords } from '@/i18n'
import { SelectSetting, TextSetting } from './inputs'
import { SettingsForm } from './SettingsForm'
import { words } from './settingsWords'

/** Where and in which language the person lives: of this browser, or as they say. */
export function PlaceForm({ settings }: { settings: Settings }) {
  const t = useWords(words)
  const { time_zone: zone, locale } = settings.defaults
  const zones = Intl.supportedValuesOf('timeZone').map((name) => ({ value: name, label: name }))
  const usual = { value: '', label: t('place.auto', { value: zone ?? t('place.server') }) }
  return (
    <SettingsForm names={['time_zone', 'locale']}>
      <SelectSetting
        name="time_zone"
        label={t('place.zone')}
        note={t('place.zone.note')}
        settings={settings}
        options={[usual, ...zones]}
      />
      <TextSetting
        name="locale"
        label={t('place.locale')}
        note={t('place.locale.note')}
        placeholder={locale ?? undefined}
        settings={settings}
      />
    </SettingsForm>
  )
}
