import { ZoomIn } from 'lucide-react'
import { useLang } from '@/i18n'
import { IconButton } from '@/ui/IconButton'
import { Menu, MenuChoice, MenuOption } from '@/ui/Menu'
import { useShotWords } from './shotWords'
import { type Zoom, ZOOMS } from './zoom'

export function ZoomMenu({ zoom, onChange }: { zoom: Zoom; onChange: (zoom: Zoom) => void }) {
  const t = useShotWords()
  const lang = useLang()
  const trigger = (
    <IconButton label={`${t('zoom')}: ${words(zoom, t, lang)}`}>
      <ZoomIn size={17} aria-hidden />
    </IconButton>
  )
  return (
    <Menu trigger={trigger}>
      <MenuChoice
        label={t('zoom')}
        value={String(zoom)}
        onChange={(value) => onChange(ZOOMS.find((other) => String(other) === value) ?? 'fit')}
      >
        {ZOOMS.map((value) => (
          <MenuOption key={value} value={String(value)}>
            {words(value, t, lang)}
          </MenuOption>
        ))}
      </MenuChoice>
    </Menu>
  )
}

const words = (zoom: Zoom, t: ReturnType<typeof useShotWords>, lang: string): string =>
  zoom === 'fit' ? t('zoom.fit') : new Intl.NumberFormat(lang, { style: 'percent' }).format(zoom)
