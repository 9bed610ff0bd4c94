import { ListChecks } from 'lucide-react'
import type { Config } from '@/api/types'
import { useT, useWords } from '@/i18n'
import { agentName } from '@/session/names'
import { Menu, MenuCheck, MenuChoice, MenuLine, MenuOption } from '@/ui/Menu'
import { words } from './agentWords'
import { LockedPicker, PickerButton } from './ModelPicker'

interface Props {
  config: Config
  value: string
  onChange: (agent: string) => void
  asksFirst: boolean
  onAskFirst: (asksFirst: boolean) => void
  locked?: string | undefined
}

const ABOUT = { operator: 'agent.operator', assistant: 'agent.assistant' } as const

/** Which agent works, and whether it asks before it starts. */
export function AgentPicker({ config, value, onChange, asksFirst, onAskFirst, locked }: Props) {
  const t = useT()
  const say = useWords(words)
  const chosen = config.agents.find((agent) => agent.id === value)
  const text = chosen ? agentName(chosen, t) : value
  const note = asksFirst ? say('first.on') : undefined
  if (locked) return <LockedPicker label={t('agent')} text={text} note={note} reason={locked} />
  const trigger = (
    <PickerButton
      label={t('agent')}
      text={text}
      note={note}
      icon={asksFirst && <ListChecks size={13} aria-hidden className="shrink-0 text-accent-text" />}
    />
  )
  return (
    <Menu trigger={trigger} align="start" side="top" wide>
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
      <MenuLine />
      <MenuCheck checked={asksFirst} onChange={onAskFirst}>
        <span className="block">{say('first')}</span>
        <span className="block text-2xs text-faint">{say('first.about')}</span>
      </MenuCheck>
    </Menu>
  )
}
