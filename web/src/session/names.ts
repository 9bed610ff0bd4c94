import type { Config, ModelInfo } from '@/api/types'
import type { Translate } from '@/i18n'

type AgentInfo = Config['agents'][number]

const AGENTS = { operator: 'agent.operator.name', assistant: 'agent.assistant.name' } as const
/** The one model of mock mode. */
const SCRIPTED = 'mock:scripted'

/** The name of an agent in the language of the page. */
export const agentName = ({ id, label }: AgentInfo, t: Translate): string =>
  id in AGENTS ? t(AGENTS[id as keyof typeof AGENTS]) : label

/** The same of a model; those of providers have one name everywhere. */
export const modelName = ({ id, demo, label }: ModelInfo, t: Translate): string =>
  demo ? t('model.demo.name') : id === SCRIPTED ? t('model.mock.name') : label
