import { MousePointerClick } from 'lucide-react'
import { useWords } from '@/i18n'
import { MenuItem } from '@/ui/Menu'
import { usePointing } from './pointMarks'
import { words } from './pointingWords'

/** In the menu of an approval: a mark on its picture and words that deny it, for the person to send. */
export function InsteadItem({ picture }: { picture: string | null }) {
  const t = useWords(words)
  const point = usePointing((state) => state.point)
  const isHosted = usePointing((state) => state.isHosted)
  if (!isHosted) return null
  return (
    <MenuItem
      icon={<MousePointerClick size={15} aria-hidden />}
      onSelect={() => point({ picture, text: t('point.instead.text') })}
    >
      {t('point.instead')}
    </MenuItem>
  )
}
