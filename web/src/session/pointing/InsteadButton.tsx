import { useWords } from '@/i18n'
import { Button } from '@/ui/Button'
import { usePointing } from './pointMarks'
import { words } from './pointingWords'

/** On an approval: a mark on its picture and words that deny it, for the person to send. */
export function InsteadButton({ picture, disabled }: { picture: string | null; disabled: boolean }) {
  const t = useWords(words)
  const point = usePointing((state) => state.point)
  const isHosted = usePointing((state) => state.isHosted)
  if (!isHosted) return null
  return (
    <Button
      tone="quiet"
      disabled={disabled}
      onClick={() => point({ picture, text: t('point.instead.text') })}
    >
      {t('point.instead')}
    </Button>
  )
}
