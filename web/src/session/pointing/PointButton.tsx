import { MousePointerClick } from 'lucide-react'
import { useWords } from '@/i18n'
import { IconButton } from '@/ui/IconButton'
import { type Source, usePointing } from './pointMarks'
import { words } from './pointingWords'

interface Props extends Source {
  small?: boolean
  /** Called first: what is open gives way to the picture. */
  onPoint?: () => void
}

/** Begins to point at a picture, or without one at the page as it is now. */
export function PointButton({ picture, text, small, onPoint }: Props) {
  const t = useWords(words)
  const point = usePointing((state) => state.point)
  const begin = () => {
    onPoint?.()
    point({ picture, text })
  }
  return (
    <IconButton small={small} label={t('point')} keys="." onClick={begin}>
      <MousePointerClick size={small ? 15 : 17} aria-hidden />
    </IconButton>
  )
}
