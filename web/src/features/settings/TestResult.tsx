import { CircleCheck, CircleHelp, CircleX } from 'lucide-react'
import type { KeyTest } from '@/api/types'
import { useWords } from '@/i18n'
import { Spinner } from '@/ui/Spinner'
import { words } from './settingsWords'

type Ability = KeyTest['abilities'][number]

const STATES = {
  yes: { icon: CircleCheck, tone: 'text-ok' },
  no: { icon: CircleX, tone: 'text-danger' },
  unknown: { icon: CircleHelp, tone: 'text-muted' },
} as const

/** How a test of a provider's model ended, and what the model can do. */
export function TestResult({ result }: { result: KeyTest | 'asking' | null }) {
  const t = useWords(words)
  if (result === null) return null
  if (result === 'asking') {
    return (
      <p className="flex items-center gap-1.5 text-xs text-muted">
        <Spinner size={13} />
        {t('keys.testing')}
      </p>
    )
  }
  const Icon = result.ok ? CircleCheck : CircleX
  return (
    <>
      <p
        className={`flex items-start gap-1.5 text-xs wrap-anywhere ${result.ok ? 'text-ok' : 'text-danger'}`}
      >
        <Icon size={14} aria-hidden className="mt-0.5 shrink-0" />
        {result.detail}
      </p>
      {result.abilities.length > 0 && (
        <ul className="mt-2 grid gap-1 text-xs sm:grid-cols-2">
          {result.abilities.map((ability) => (
            <AbilityLine key={ability.name} ability={ability} />
          ))}
        </ul>
      )}
    </>
  )
}

function AbilityLine({ ability }: { ability: Ability }) {
  const t = useWords(words)
  const state = ability.works === null ? 'unknown' : ability.works ? 'yes' : 'no'
  const { icon: Icon, tone } = STATES[state]
  const isSize = ability.name === 'context' && state === 'yes'
  return (
    <li className="flex items-start gap-1.5 wrap-anywhere">
      <Icon size={14} aria-hidden className={`mt-0.5 shrink-0 ${tone}`} />
      <span>
        {t(`ability.${ability.name}`)}:{' '}
        <span className="text-muted">
          {isSize ? t('ability.tokens', { n: ability.detail }) : t(`ability.is.${state}`)}
        </span>
      </span>
    </li>
  )
}
