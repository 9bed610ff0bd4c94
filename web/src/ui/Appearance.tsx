import { Languages } from 'lucide-react'
import { speak, useT } from '@/i18n'
import { type Lang, LANGUAGES, type Theme, usePrefs } from '@/lib/prefs'
import { IconButton } from './IconButton'
import { Menu, MenuChoice, MenuLine, MenuOption } from './Menu'

/** Language and theme, wherever a person may need them first. */
export function Appearance({ side = 'bottom' }: { side?: 'top' | 'bottom' }) {
  const t = useT()
  const { theme, lang, set } = usePrefs()
  return (
    <Menu
      side={side}
      trigger={
        <IconButton label={t('appearance')}>
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
      <MenuLine />
      <MenuChoice label={t('theme')} value={theme} onChange={(value) => set({ theme: value as Theme })}>
        <MenuOption value="system">{t('theme.system')}</MenuOption>
        <MenuOption value="light">{t('theme.light')}</MenuOption>
        <MenuOption value="dark">{t('theme.dark')}</MenuOption>
      </MenuChoice>
    </Menu>
  )
}
