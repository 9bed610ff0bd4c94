import { Columns2, type LucideIcon, MessageSquare, PanelRight } from 'lucide-react'
import { useWords, wordbook } from '@/i18n'
import { useFrame } from '@/lib/frame'
import { usePrefs } from '@/lib/prefs'
import { IconButton } from '@/ui/IconButton'
import { Menu, MenuChoice, MenuOption } from '@/ui/Menu'

const words = wordbook('layout', {
  layout: 'Layout',
  'layout.chat': 'Chat only',
  'layout.both': 'Chat and browser',
  'layout.browser': 'Browser only',
})

type Layout = 'chat' | 'both' | 'browser'
const ICONS: Record<Layout, LucideIcon> = { chat: MessageSquare, both: Columns2, browser: PanelRight }

/** In wide windows: what of the chat and the panel with the browser is shown. */
export function LayoutMenu() {
  const t = useWords(words)
  const { panel } = useFrame()
  const { chatStrip, set } = usePrefs()
  const layout: Layout = !panel.isOpen ? 'chat' : chatStrip ? 'browser' : 'both'
  const change = (chosen: Layout) => {
    if ((chosen !== 'chat') !== panel.isOpen) panel.toggle()
    set({ chatStrip: chosen === 'browser' })
  }
  const Icon = ICONS[layout]
  const trigger = (
    <IconButton label={t('layout')}>
      <Icon size={17} aria-hidden />
    </IconButton>
  )
  return (
    <Menu trigger={trigger}>
      <MenuChoice label={t('layout')} value={layout} onChange={(value) => change(value as Layout)}>
        {(Object.keys(ICONS) as Layout[]).map((value) => (
          <MenuOption key={value} value={value}>
            {t(`layout.${value}`)}
          </MenuOption>
        ))}
      </MenuChoice>
    </Menu>
  )
}
