import { Table2 } from 'lucide-react'
import { useWords } from '@/i18n'
import { IconButton } from '@/ui/IconButton'
import { changeColumns, useColumns } from './columns'
import { words } from './resultWords'

interface Props {
  sessionId: string | null
  agent: string
}

/** Asks for the result of the next message as a table. */
export function TableButton({ sessionId, agent }: Props) {
  const t = useWords(words)
  const { isOn } = useColumns(sessionId)
  const isPossible = agent !== 'assistant'
  return (
    <IconButton
      small
      label={isPossible ? t('table.as') : t('table.as.operator')}
      aria-pressed={isOn && isPossible}
      aria-disabled={!isPossible}
      className={isPossible ? '' : 'opacity-50'}
      onClick={() => isPossible && changeColumns(sessionId, { isOn: !isOn })}
    >
      <Table2 size={15} aria-hidden />
    </IconButton>
  )
}
