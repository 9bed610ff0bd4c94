import { type ReactNode, useState } from 'react'
import { speak, useWords } from '@/i18n'
import { canNotify } from '@/lib/notifications'
import { type Lang, LANGUAGES, type Theme, usePrefs } from '@/lib/prefs'
import { Choice } from '@/ui/Choice'
import { Switch } from '@/ui/Switch'
import { words } from './settingsWords'

export function AppearanceTab({ place }: { place: ReactNode }) {
  const t = useWords(words)
  const { theme, lang, shortcuts, sound, set } = usePrefs()
  const themes = (['system', 'light', 'dark'] as const).map((value) => ({
    value,
    label: t(`theme.${value}`),
  }))
  const langs = Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))
  return (
    <div className="flex flex-col gap-5">
      <Choice
        label={t('theme')}
        options={themes}
        value={theme}
        onChange={(value) => set({ theme: value as Theme })}
      />
      <Choice
        label={t('language')}
        options={langs}
        value={lang}
        onChange={(value) => void speak(value as Lang)}
      />
      <Switch
        label={t('settings.shortcuts')}
        checked={shortcuts}
        onChange={(value) => set({ shortcuts: value })}
      />
      <Switch label={t('settings.sound')} checked={sound} onChange={(value) => set({ sound: value })} />
      <Notifications />
      {place}
    </div>
  )
}

/** Allowed once, they are the browser's to take back. */
function Notifications() {
  const t = useWords(words)
  const [permission, setPermission] = useState(() => (canNotify() ? Notification.permission : null))
  if (permission === null) return <p className="text-xs text-muted">{t('appearance.notify.missing')}</p>
  return (
    <div className="flex flex-col gap-1">
      <Switch
        label={t('appearance.notify')}
        checked={permission === 'granted'}
        onChange={() => void Notification.requestPermission().then(setPermission)}
      />
      {permission === 'denied' && <p className="text-xs text-muted">{t('appearance.notify.denied')}</p>}
    </div>
  )
}
