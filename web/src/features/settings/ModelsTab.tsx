import { useConfig } from '@/api/queries'
import type { Settings } from '@/api/types'
import { useWords } from '@/i18n'
import { agentName, modelName } from '@/session/names'
import { SelectSetting } from './inputs'
import { ModelTest } from './ModelTest'
import { ProviderKey } from './ProviderKey'
import { Section } from './Section'
import { SettingsForm } from './SettingsForm'
import { words } from './settingsWords'

export function ModelsTab({ settings }: { settings: Settings }) {
  const t = useWords(words)
  const config = useConfig()
  const models = (config?.models ?? []).map((model) => ({
    value: model.id,
    label: model.ready ? modelName(model, t) : t('models.not.ready', { model: modelName(model, t) }),
    disabled: !model.ready,
  }))
  const chosen = config?.models.find((model) => model.id === settings.values.agent_model)
  const isReplaced =
    chosen?.ready === false && config?.models.some((one) => one.demo && one.id === config.defaults.model)
  const agents = (config?.agents ?? []).map((agent) => ({ value: agent.id, label: agentName(agent, t) }))
  return (
    <>
      <SettingsForm names={['agent_model', 'default_agent']}>
        <SelectSetting
          name="agent_model"
          label={t('models.default')}
          note={t(isReplaced ? 'models.default.demo' : 'models.default.note')}
          settings={settings}
          options={models}
        />
        <SelectSetting name="default_agent" label={t('models.agent')} settings={settings} options={agents} />
      </SettingsForm>
      {chosen && chosen.provider !== 'demo' && (
        <Section title={t('models.test.title')} about={t('models.test.about', { model: chosen.label })}>
          <ModelTest key={chosen.id} model={chosen.id} provider={chosen.provider} />
        </Section>
      )}
      <Section title={t('keys.title')} about={t('keys.about')}>
        <ul className="flex flex-col">
          {Object.entries(settings.keys).map(([provider, state]) => (
            <ProviderKey key={provider} provider={provider} state={state} />
          ))}
        </ul>
      </Section>
    </>
  )
}
