import { useConfig } from '@/api/queries'
import type { Automation } from '@/api/types'
import { useWords } from '@/i18n'
import { InstructionsField } from '@/session/InstructionsField'
import { Choice } from '@/ui/Choice'
import { Field } from '@/ui/Field'
import { Select } from '@/ui/Select'
import { Switch } from '@/ui/Switch'
import { words } from './automationWords'
import { TableField } from './TableField'

export type Options = Pick<
  Automation,
  | 'agent'
  | 'model'
  | 'max_tool_steps'
  | 'overlap'
  | 'missed'
  | 'patience'
  | 'session_mode'
  | 'keep'
  | 'budget'
  | 'ask_first'
  | 'only_changes'
  | 'only_first_model'
  | 'result_schema'
  | 'instructions'
>

interface Props {
  options: Options
  onChange: (values: Partial<Options>) => void
}

const HOUR = 3600
const PATIENCE = [1, 4, 8, 24, 72, 168].map((hours) => hours * HOUR)

/** What most automations leave as it is. */
export function MoreFields({ options, onChange }: Props) {
  const t = useWords(words)
  const { session_mode: mode, overlap, missed, patience, keep } = options
  const spans = [...new Set([...PATIENCE, patience])].sort((one, other) => one - other)
  const spanName = (seconds: number) =>
    seconds >= 48 * HOUR
      ? t('patience.days', { n: Math.round(seconds / 24 / HOUR) })
      : t('patience.hours', { n: Math.round(seconds / HOUR) })
  return (
    <div className="flex flex-col gap-4 pt-3">
      <div className="flex flex-col gap-3">
        <Switch
          label={t('auto.first')}
          checked={options.ask_first}
          onChange={(checked) => onChange({ ask_first: checked })}
        />
        <Switch
          label={t('auto.changes')}
          checked={options.only_changes}
          onChange={(checked) => onChange({ only_changes: checked })}
        />
        <Switch
          label={t('auto.oneModel')}
          checked={options.only_first_model}
          onChange={(checked) => onChange({ only_first_model: checked })}
        />
      </div>
      <TableField schema={options.result_schema} onChange={(schema) => onChange({ result_schema: schema })} />
      <InstructionsField
        label={t('auto.instructions')}
        text={options.instructions ?? ''}
        onChange={(text) => onChange({ instructions: text })}
      />
      <AgentFields options={options} onChange={onChange} />
      <Choice
        label={t('auto.session')}
        options={(['same', 'new'] as const).map((value) => ({ value, label: t(`session.${value}`) }))}
        value={mode}
        onChange={(value) => onChange({ session_mode: value as Options['session_mode'] })}
      />
      {mode === 'new' && (
        <Field
          type="number"
          required
          min={1}
          max={100}
          label={t('auto.keep')}
          value={keep || ''}
          onChange={(event) => onChange({ keep: Number(event.target.value) })}
          className="w-44"
        />
      )}
      <Choice
        label={t('auto.overlap')}
        options={(['skip', 'queue'] as const).map((value) => ({ value, label: t(`overlap.${value}`) }))}
        value={overlap}
        onChange={(value) => onChange({ overlap: value as Options['overlap'] })}
      />
      <Choice
        label={t('auto.missed')}
        options={(['once', 'skip'] as const).map((value) => ({ value, label: t(`missed.${value}`) }))}
        value={missed}
        onChange={(value) => onChange({ missed: value as Options['missed'] })}
      />
      <Select
        className="min-w-36 flex-1"
        label={t('auto.patience')}
        options={spans.map((value) => ({ value: String(value), label: spanName(value) }))}
        value={String(patience)}
        onChange={(value) => onChange({ patience: Number(value) })}
      />
      <BudgetFields budget={options.budget} onChange={(budget) => onChange({ budget })} />
    </div>
  )
}

function AgentFields({ options, onChange }: Props) {
  const t = useWords(words)
  const config = useConfig()
  if (!config) return null
  const agent = options.agent || config.defaults.agent
  const model = options.model || config.defaults.model
  const models = config.models.map(({ id, label }) => ({ value: id, label }))
  if (!models.some(({ value }) => value === model)) models.push({ value: model, label: model })
  return (
    <div className="flex flex-wrap gap-3">
      <Select
        className="min-w-36 flex-1"
        label={t('agent')}
        options={config.agents.map(({ id, label }) => ({ value: id, label }))}
        value={agent}
        onChange={(value) => onChange({ agent: value })}
      />
      <Select
        className="min-w-36 flex-1"
        label={t('model')}
        options={models}
        value={model}
        onChange={(value) => onChange({ model: value })}
      />
      <Field
        type="number"
        required
        min={1}
        max={1000}
        label={t('auto.steps')}
        value={options.max_tool_steps || config.defaults.max_tool_steps}
        onChange={(event) => onChange({ max_tool_steps: Number(event.target.value) })}
        className="w-44"
      />
    </div>
  )
}

interface BudgetProps {
  budget: Options['budget']
  onChange: (budget: Options['budget']) => void
}

function BudgetFields({ budget, onChange }: BudgetProps) {
  const t = useWords(words)
  const none = { run_cost: null, month_cost: null, run_tokens: null, month_tokens: null }
  const set = (name: 'run_cost' | 'month_cost', text: string) => {
    const changed = { ...none, ...budget, [name]: text === '' ? null : Number(text) }
    onChange(Object.values(changed).some((value) => value !== null) ? changed : null)
  }
  return (
    <div className="flex flex-wrap gap-3">
      {(['run', 'month'] as const).map((span) => (
        <Field
          key={span}
          type="number"
          min={0.01}
          step="any"
          inputMode="decimal"
          label={t(`auto.cost.${span}`)}
          hint={t('auto.cost.hint')}
          value={budget?.[`${span}_cost`] ?? ''}
          onChange={(event) => set(`${span}_cost`, event.target.value)}
          className="min-w-44 flex-1"
        />
      ))}
    </div>
  )
}
