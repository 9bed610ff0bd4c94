import { Hand } from 'lucide-react'
import { useT } from '@/i18n'
import { openTakeover } from '@/lib/addresses'
import { Button, type ButtonProps } from '@/ui/Button'
import { useSessionId } from './sessionId'

/** One click to the wheel. */
export function TakeoverButton({ small = false, tone }: Pick<ButtonProps, 'small' | 'tone'>) {
  const t = useT()
  const sessionId = useSessionId()
  return (
    <Button small={small} tone={tone ?? 'plain'} onClick={() => openTakeover(sessionId)}>
      <Hand size={small ? 13 : 15} aria-hidden />
      {t('takeover')}
    </Button>
  )
}
