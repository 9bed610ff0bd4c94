import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import type { Automation, AutomationGrant } from '@/api/types'
import { useLang, useWords } from '@/i18n'
import { kindWords, words as shared } from '@/session/grants/grantWords'
import { LimitInputs } from '@/session/grants/LimitInputs'
import { limitsOf, limitWords, NO_LIMITS } from '@/session/grants/limits'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'
import { IconButton } from '@/ui/IconButton'
import { Select } from '@/ui/Select'
import { words } from './automationWords'

interface Props {
  known: Automation['grants']
  grants: AutomationGrant[]
  onChange: (grants: AutomationGrant[]) => void
}

const KINDS = [
  'order',
  'pay',
  'send',
  'publish',
  'delete',
  'end',
  'account',
  'legal',
  'system',
  'approve',
  'upload',
  'unknown_submit',
  'point',
]

/** What the runs of an automation may do without asking. */
export function GrantFields({ known, grants, onChange }: Props) {
  const t = useWords(words)
  const tell = useWords(shared)
  const lang = useLang()
  const [isAdding, setAdding] = useState(false)
  const lineOf = (grant: AutomationGrant) => {
    const found = known.find(({ id }) => id === grant.id)
    return {
      kind: kindWords(found?.kind ?? grant.kind ?? '', tell),
      site: found?.site ?? grant.site ?? '',
      limits: limitWords({ ...EMPTY, ...grant, ...found }, tell, lang),
    }
  }
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="float-left text-sm font-medium">{t('auto.grants')}</legend>
      <p className="clear-both text-xs text-muted">{t('auto.grants.about')}</p>
      <ul className="flex flex-col empty:hidden">
        {grants.map((grant, index) => {
          const { kind, site, limits } = lineOf(grant)
          return (
            <li key={grant.id ?? index} className="flex items-center gap-2 border-t border-line py-1.5">
              <div className="min-w-0 flex-1">
                <p className="text-sm wrap-anywhere">
                  {kind} · {site}
                </p>
                <p className="tabular text-xs text-muted">{limits}</p>
              </div>
              <IconButton
                label={t('auto.grants.remove', { kind, site })}
                onClick={() => onChange(grants.filter((one) => one !== grant))}
              >
                <X size={15} aria-hidden />
              </IconButton>
            </li>
          )
        })}
      </ul>
      {isAdding ? (
        <NewGrant
          onAdd={(grant) => {
            onChange([...grants, grant])
            setAdding(false)
          }}
          onCancel={() => setAdding(false)}
        />
      ) : (
        <Button small className="self-start" onClick={() => setAdding(true)}>
          <Plus size={14} aria-hidden />
          {t('auto.grants.add')}
        </Button>
      )}
    </fieldset>
  )
}

interface NewProps {
  onAdd: (grant: AutomationGrant) => void
  onCancel: () => void
}

function NewGrant({ onAdd, onCancel }: NewProps) {
  const t = useWords(words)
  const tell = useWords(shared)
  const [site, setSite] = useState('')
  const [kind, setKind] = useState('order')
  const [limits, setLimits] = useState(NO_LIMITS)
  const [currency, setCurrency] = useState('EUR')
  const hasAmount = !!limits.act || !!limits.month
  const add = () =>
    onAdd({ site: site.trim(), kind, ...limitsOf(limits), ...(hasAmount && { currency: currency.trim() }) })
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <div className="flex flex-wrap gap-3">
        <Field
          autoFocus
          maxLength={255}
          label={t('auto.grants.site')}
          placeholder="shop.example"
          value={site}
          onChange={(event) => setSite(event.target.value)}
          className="min-w-40 flex-1"
        />
        <Select
          className="min-w-40 flex-1"
          label={t('auto.grants.kind')}
          options={KINDS.map((value) => ({ value, label: kindWords(value, tell) }))}
          value={kind}
          onChange={setKind}
        />
        <Field
          maxLength={8}
          label={t('auto.grants.currency')}
          value={currency}
          onChange={(event) => setCurrency(event.target.value)}
          className="w-28"
        />
      </div>
      <LimitInputs limits={limits} currency={currency.trim() || null} onChange={setLimits} />
      <div className="flex gap-2">
        <Button small disabled={!site.trim()} onClick={add}>
          {t('auto.grants.add')}
        </Button>
        <Button small tone="quiet" onClick={onCancel}>
          {t('cancel')}
        </Button>
      </div>
    </div>
  )
}

const EMPTY = {
  count: null,
  ends_at: null,
  act_amount: null,
  month_amount: null,
  month_spent: null,
  currency: null,
  uses: 0,
} as unknown as Automation['grants'][number]
