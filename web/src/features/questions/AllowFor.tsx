import { useState } from 'react'
import type { GrantChoice, Pending } from '@/api/types'
import { useT, useWords } from '@/i18n'
import { hostOf } from '@/lib/url'
import { words } from '@/session/grants/grantWords'
import { LimitInputs } from '@/session/grants/LimitInputs'
import { type LimitFields, limitsOf, NO_LIMITS } from '@/session/grants/limits'
import { Disclosure } from '@/ui/Disclosure'
import { Select } from '@/ui/Select'
import { allowWords } from './allowWords'

type Scope = GrantChoice['scope']

export interface Allowed {
  scope: Scope
  limits: LimitFields
}

export const ONCE: Allowed = { scope: 'once', limits: NO_LIMITS }

/** As a decision has it; nothing where it is for the one act only. */
export const grantOf = ({ scope, limits }: Allowed): GrantChoice | undefined =>
  scope === 'once' ? undefined : { scope, ...limitsOf(limits) }

/** What pressing the yes will do. */
export function useApproveWords(): (allowed: Allowed, question: Pending) => string {
  const t = useT()
  const tell = useWords(allowWords)
  return ({ scope }, { url }) =>
    scope === 'once' ? t('approve') : tell(`approve.${scope}`, { site: hostOf(url) ?? '' })
}

interface Props {
  question: Pending
  allowed: Allowed
  onChange: (allowed: Allowed) => void
}

/** For how long a yes allows acts like this one, and within which limits. */
export function AllowFor({ question, allowed, onChange }: Props) {
  const t = useWords(words)
  const tell = useWords(allowWords)
  const [isOpen, setOpen] = useState(false)
  const scopes = question.scopes ?? []
  if (!scopes.length) return <p className="text-xs text-muted">{tell('allow.never')}</p>
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-3">
      <Select
        className="max-w-80"
        label={tell('allow.for')}
        options={(['once', ...scopes] as const).map((value) => ({ value, label: t(`scope.${value}`) }))}
        value={allowed.scope}
        onChange={(scope) => onChange({ ...allowed, scope: scope as Scope })}
      />
      {allowed.scope !== 'once' && (
        <Disclosure
          open={isOpen}
          onToggle={() => setOpen(!isOpen)}
          summary={<span className="text-sm">{tell('allow.limits')}</span>}
        >
          <div className="pt-2">
            <LimitInputs
              limits={allowed.limits}
              currency={question.spends?.currency ?? null}
              onChange={(limits) => onChange({ ...allowed, limits })}
            />
          </div>
        </Disclosure>
      )}
    </div>
  )
}
