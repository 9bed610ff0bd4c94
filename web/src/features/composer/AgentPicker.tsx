import type { Config } from '@/api/types'
import { useT } from '@/i18n'
import { agentName } from '@/session/names'
import { Menu, MenuChoice, MenuOption } from '@/ui/Menu'
import { LockedPicker, PickerButton } from './ModelPicker'

interface Props {
  config: Config
  value: string
  onChange: (agent: string) => void
  locked?: string | undefined
}

const ABOUT = { operator: 'agent.operator', assistant: 'agent.assistant' } as const

export function AgentPicker({ config, value, onChange, locked }: Props) {
  const t = useT()
  const chosen = config.agents.find((agent) => agent.id === value)
  const text = chosen ? agentName(chosen, t) : value
  if (locked) return <LockedPicker label={t('agent')} text={text} reason={locked} />
  return (
    <Menu trigger={<PickerButton label={t('agent')} text={text} />} align="start" side="top" wide>
      <MenuChoice label={t('agent')} value={value} onChange={onChange}>
        {config.agents.map((agent) => (
          <MenuOption key={agent.id} value={agent.id}>
            <span className="block">{agentName(agent, t)}</span>
            {agent.id in ABOUT && (
              <span className="block text-2xs text-faint">{t(ABOUT[agent.id as keyof typeof ABOUT])}</span>
            )}
          </MenuOption>
        ))}
      </MenuChoice>
    </Menu>
  )
}
