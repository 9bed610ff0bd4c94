import { useWords } from '@/i18n'
import { MenuCheck } from '@/ui/Menu'
import { changeColumns, useColumns } from './columns'
import { words } from './resultWords'

interface Props {
  sessionId: string | null
  agent: string
}

/** Asks for the result of the next message as a table. */
export function TableItem({ sessionId, agent }: Props) {
  const t = useWords(words)
  const { isOn } = useColumns(sessionId)
  const isPossible = agent !== 'assistant'
  return (
    <MenuCheck
      closes
      checked={isOn && isPossible}
      disabled={!isPossible}
      onChange={(checked) => changeColumns(sessionId, { isOn: checked })}
    >
      {isPossible ? t('table.as') : t('table.as.operator')}
    </MenuCheck>
  )
}
