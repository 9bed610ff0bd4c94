import { ChevronDown, KeyRound, ListChecks } from 'lucide-react'
import type { Config } from '@/api/types'
import { useT, useWords } from '@/i18n'
import { useOverlay } from '@/lib/overlay'
import { agentName, modelName } from '@/session/names'
import { Menu, MenuCheck, MenuChoice, MenuItem, MenuLine, MenuOption } from '@/ui/Menu'
import { Tooltip } from '@/ui/Tooltip'
import { ModelLine } from './ModelLine'
import { OtherModels } from './OtherModels'
import { words } from './pickerWords'

export interface TaskChoice {
  model: string
  agent: string
  ask_first: boolean
}

interface Props {
  config: Config
  value: TaskChoice
  onChange: (change: Partial<TaskChoice>) => void
  /** Why it cannot be changed now. */
  locked?: string | undefined
}

const ABOUT = { operator: 'agent.operator', assistant: 'agent.assistant' } as const

/** Which model and which agent do the task, and whether it asks before it starts. */
export function TaskPicker({ config, value, onChange, locked }: Props) {
  const t = useT()
  const say = useWords(words)
  const names = useNames(config, value)
  if (locked)
    return (
      <Tooltip text={locked}>
        <button
          type="button"
          aria-disabled
          aria-label={`${names.label}. ${locked}`}
          className="touch flex h-7 min-w-0 items-center rounded-md px-2 text-xs text-faint"
        >
          <span className="truncate">{names.text}</span>
        </button>
      </Tooltip>
    )
  const trigger = (
    <button
      type="button"
      aria-label={names.label}
      className="touch flex h-7 min-w-0 items-center gap-1 rounded-md px-2 text-xs text-muted hover:bg-s2 max-md:gap-0.5 max-md:px-1 hover:text-text"
    >
      {value.ask_first && <ListChecks size={13} aria-hidden className="shrink-0 text-accent-text" />}
      <span className="truncate">{names.text}</span>
      <ChevronDown size={13} aria-hidden className="shrink-0" />
    </button>
  )
  return (
    <Menu trigger={trigger} align="start" side="top" wide>
      <MenuChoice label={t('model')} value={value.model} onChange={(model) => onChange({ model })}>
        {config.models
          .filter((model) => model.ready || model.id === value.model)
          .map((model) => (
            <MenuOption key={model.id} value={model.id} disabled={!model.ready}>
              <ModelLine model={model} />
            </MenuOption>
          ))}
        <OtherModels models={config.models} chosen={value.model} />
      </MenuChoice>
      <MenuItem
        icon={<KeyRound size={15} aria-hidden />}
        onSelect={() => useOverlay.getState().show('connect')}
      >
        {say('model.keys')}
      </MenuItem>
      <MenuLine />
      <MenuChoice label={t('agent')} value={value.agent} onChange={(agent) => onChange({ agent })}>
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
      <MenuCheck checked={value.ask_first} onChange={(ask_first) => onChange({ ask_first })}>
        <span className="block">{say('first')}</span>
        <span className="block text-2xs text-faint">{say('first.about')}</span>
      </MenuCheck>
    </Menu>
  )
}

/** Without what is explained in brackets; the label has all of it. */
const inShort = (text: string): string => text.replace(/ \([^)]*\)$/, '')

/** What the button shows, and its label. The agent is shown where it is not the usual one. */
function useNames(config: Config, value: TaskChoice): { text: string; label: string } {
  const t = useT()
  const say = useWords(words)
  const model = config.models.find(({ id }) => id === value.model)
  const agent = config.agents.find(({ id }) => id === value.agent)
  const modelText = model ? modelName(model, t) : value.model.replace(/^\w+:/, '')
  const agentText = agent ? agentName(agent, t) : value.agent
  const isUsual = value.agent === config.defaults.agent
  return {
    text: isUsual ? inShort(modelText) : `${inShort(modelText)} · ${agentText}`,
    label: [
      `${t('model')}: ${modelText}`,
      `${t('agent')}: ${agentText}`,
      ...(value.ask_first ? [say('first.on')] : []),
    ].join(', '),
  }
}
