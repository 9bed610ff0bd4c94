import { useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api } from '@/api/client'
import { useConfig } from '@/api/queries'
import type { Automation, AutomationChange, AutomationGrant } from '@/api/types'
import { useWords } from '@/i18n'
import type { ScheduleDraft } from '@/lib/scheduleDraft'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Disclosure } from '@/ui/Disclosure'
import { Field } from '@/ui/Field'
import { toast } from '@/ui/Toasts'
import { words } from './automationWords'
import { ownZone } from '@/lib/time'
import { type When, ruleOf, usualWhen, whenOf } from './dueRule'
import { GrantFields } from './GrantFields'
import { MoreFields, type Options } from './MoreFields'
import { WhenFields } from './WhenFields'

interface Props {
  automation?: Automation
  draft?: ScheduleDraft
  onClose: () => void
}

type Filled = Pick<Automation, 'name' | 'task' | 'zone'> & Options

/** Makes an automation, or changes one. */
export default function AutomationForm({ automation, draft = {}, onClose }: Props) {
  const t = useWords(words)
  const [filled, setFilled] = useState<Filled>(() => automation ?? { ...USUAL, ...draft, zone: ownZone() })
  const [url, setUrl] = useState((automation ?? draft).start_url ?? '')
  const [when, setWhen] = useState<When>(() =>
    automation ? whenOf(automation.rule, new Date()) : usualWhen(new Date()),
  )
  const [isMore, setMore] = useState(false)
  const [grants, setGrants] = useState<AutomationGrant[]>(
    () => automation?.grants.map(({ id }) => ({ id })) ?? [],
  )
  const { save, failure, isBusy } = useSave(automation, draft, onClose)
  const change = (values: Partial<Filled>) => setFilled({ ...filled, ...values })
  const hasDays = when.repeats !== 'weekly' || when.days.length > 0
  return (
    <Dialog open onClose={onClose} title={t(automation ? 'auto.edit' : 'auto.new')} width="max-w-xl">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void save(filled, url, when, grants)
        }}
      >
        <TaskFields filled={filled} onChange={change} url={url} onUrl={setUrl} />
        <WhenFields when={when} onChange={setWhen} zone={filled.zone} onZone={(zone) => change({ zone })} />
        <Disclosure
          open={isMore}
          onToggle={() => setMore(!isMore)}
          summary={<span className="text-sm font-medium">{t('auto.more')}</span>}
        >
          <MoreFields options={filled} onChange={change} />
          <div className="pt-4">
            <GrantFields known={automation?.grants ?? []} grants={grants} onChange={setGrants} />
          </div>
        </Disclosure>
        {failure && (
          <p role="alert" className="text-sm wrap-anywhere text-danger">
            {failure}
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          <Button
            type="submit"
            tone="primary"
            disabled={isBusy || !hasDays || !filled.name.trim() || !filled.task.trim()}
          >
            {t('auto.save')}
          </Button>
          <Button tone="quiet" onClick={onClose}>
            {t('cancel')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface TaskProps {
  filled: Filled
  onChange: (values: Partial<Filled>) => void
  url: string
  onUrl: (url: string) => void
}

function TaskFields({ filled, onChange, url, onUrl }: TaskProps) {
  const t = useWords(words)
  return (
    <>
      <Field
        required
        maxLength={200}
        label={t('auto.name')}
        value={filled.name}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <TextBox
        label={t('auto.task')}
        rows={4}
        maxLength={16_000}
        value={filled.task}
        onChange={(task) => onChange({ task })}
      />
      <Field
        type="url"
        maxLength={2000}
        label={t('auto.url')}
        hint={t('auto.url.hint')}
        placeholder="https://"
        value={url}
        onChange={(event) => onUrl(event.target.value)}
      />
    </>
  )
}

interface BoxProps {
  label: string
  rows: number
  maxLength: number
  value: string
  onChange: (value: string) => void
}

function TextBox({ label, value, onChange, ...rest }: BoxProps) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <textarea
        {...rest}
        id={id}
        required
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="w-full rounded-md border border-strong bg-bg px-3 py-2 text-sm focus-visible:outline-offset-0"
      />
    </div>
  )
}

function useSave(automation: Automation | undefined, draft: ScheduleDraft, onSaved: () => void) {
  const t = useWords(words)
  const client = useQueryClient()
  const defaults = useConfig()?.defaults
  const [failure, setFailure] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const save = async (filled: Filled, url: string, when: When, grants: AutomationGrant[]) => {
    setFailure(null)
    setBusy(true)
    const values: AutomationChange = {
      name: filled.name.trim(),
      task: filled.task.trim(),
      zone: filled.zone,
      overlap: filled.overlap,
      missed: filled.missed,
      patience: filled.patience,
      session_mode: filled.session_mode,
      keep: filled.keep,
      budget: filled.budget,
      ask_first: filled.ask_first,
      only_changes: filled.only_changes,
      only_first_model: filled.only_first_model,
      result_schema: filled.result_schema,
      instructions: filled.instructions?.trim() || null,
      agent: filled.agent || defaults?.agent || 'operator',
      model: filled.model || defaults?.model || '',
      max_tool_steps: filled.max_tool_steps || defaults?.max_tool_steps || 10,
      start_url: url.trim() || null,
      rule: ruleOf(when),
      grants,
    }
    const origin = draft.created_from ? { created_from: draft.created_from } : {}
    try {
      if (automation) await api.changeAutomation(automation.id, values)
      else await api.addAutomation({ ...values, ...origin })
      await client.invalidateQueries({ queryKey: ['automations'] })
      toast(t('auto.saved', { name: values.name }))
      onSaved()
    } catch (error) {
      setFailure((error as Error).message)
    }
    setBusy(false)
  }
  return { save, failure, isBusy }
}

const DAY = 86_400
const USUAL: Filled = {
  name: '',
  task: '',
  zone: 'UTC',
  agent: '',
  model: '',
  max_tool_steps: 0,
  overlap: 'skip',
  missed: 'once',
  patience: DAY,
  session_mode: 'same',
  keep: 10,
  budget: null,
  ask_first: false,
  only_changes: false,
  only_first_model: false,
  result_schema: null,
  instructions: null,
}
