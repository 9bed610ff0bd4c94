import { Languages, Monitor, Moon, Sun } from 'lucide-react'
import { speak, useT } from '@/i18n'
import { type Lang, LANGUAGES, type Theme, usePrefs } from '@/lib/prefs'
import { IconButton } from './IconButton'
import { Menu, MenuChoice, MenuOption } from './Menu'

const ICONS = { system: Monitor, light: Sun, dark: Moon }

/** Theme and language, wherever a person may need them first. */
export function Appearance({ side = 'bottom' }: { side?: 'top' | 'bottom' }) {
  const t = useT()
  const { theme, lang, set } = usePrefs()
  const Icon = ICONS[theme]
  return (
    <div className="flex items-center gap-1">
      <Menu
        side={side}
        trigger={
          <IconButton label={t('theme')}>
            <Icon size={17} aria-hidden />
          </IconButton>
        }
      >
        <MenuChoice label={t('theme')} value={theme} onChange={(value) => set({ theme: value as Theme })}>
          <MenuOption value="system">{t('theme.system')}</MenuOption>
          <MenuOption value="light">{t('theme.light')}</MenuOption>
          <MenuOption value="dark">{t('theme.dark')}</MenuOption>
        </MenuChoice>
      </Menu>
      <Menu
        side={side}
        trigger={
          <IconButton label={t('language')}>
            <Languages size={17} aria-hidden />
          </IconButton>
        }
      >
        <MenuChoice label={t('language')} value={lang} onChange={(value) => void speak(value as Lang)}>
          {Object.entries(LANGUAGES).map(([value, name]) => (
            <MenuOption key={value} value={value}>
              {name}
            </MenuOption>
          ))}
        </MenuChoice>
      </Menu>
    </div>
  )
}
