import type { Settings } from '@/api/types'
import { useWords } from '@/i18n'
import { ZoneSelect } from '@/ui/ZoneSelect'
import { TextSetting } from './inputs'
import { useSetting } from './settingsDraft'
import { SettingsForm } from './SettingsForm'
import { words } from './settingsWords'

/** Where and in which language the person lives: of this browser, or as they say. */
export function PlaceForm({ settings }: { settings: Settings }) {
  const t = useWords(words)
  const { time_zone: zone, locale } = settings.defaults
  const { text, fault, change } = useSetting('time_zone', settings)
  return (
    <SettingsForm names={['time_zone', 'locale']}>
      <ZoneSelect
        className="max-w-md"
        label={t('place.zone')}
        note={t('place.zone.note')}
        error={fault}
        usual={t('place.auto', { value: zone ?? t('place.server') })}
        zone={text}
        onChange={change}
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
