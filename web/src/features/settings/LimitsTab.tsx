import type { Settings } from '@/api/types'
import { useWords } from '@/i18n'
import { ChoiceSetting, NumberSetting } from './inputs'
import { SettingsForm } from './SettingsForm'
import { words } from './settingsWords'

export function LimitsTab({ settings }: { settings: Settings }) {
  const t = useWords(words)
  const visions = (['auto', 'always', 'never'] as const).map((value) => ({
    value,
    label: t(`limits.vision.${value}`),
  }))
  return (
    <SettingsForm
      names={['max_tool_steps', 'run_timeout', 'token_budget', 'cost_budget', 'decision_timeout', 'vision']}
    >
      <p className="text-sm text-muted">{t('limits.about')}</p>
      <NumberSetting
        name="max_tool_steps"
        label={t('limits.steps')}
        note={t('limits.steps.note')}
        settings={settings}
        min={1}
        max={1000}
      />
      <NumberSetting
        name="run_timeout"
        label={t('limits.time')}
        note={t('limits.time.note')}
        settings={settings}
        min={0.1}
        step="any"
      />
      <NumberSetting name="token_budget" label={t('limits.tokens')} settings={settings} min={1} />
      <NumberSetting
        name="cost_budget"
        label={t('limits.cost')}
        note={t('limits.cost.note')}
        settings={settings}
        min={0}
        step="any"
        optional
      />
      <NumberSetting
        name="decision_timeout"
        label={t('limits.decision')}
        settings={settings}
        min={0.1}
        step="any"
      />
      <ChoiceSetting name="vision" label={t('limits.vision')} settings={settings} options={visions} />
    </SettingsForm>
  )
}
