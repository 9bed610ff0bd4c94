import { ShieldCheck, TriangleAlert } from 'lucide-react'
import type { Effect, Proof } from '@/api/types'
import { useWords } from '@/i18n'
import { cx } from '@/lib/cx'
import { words } from './effectWords'

/** What a step sent, each request in plain words, and what the page said after it. */
export function Effects({ proof }: { proof: Proof }) {
  const t = useWords(words)
  const effects = proof.effects ?? []
  return (
    <ul className="flex flex-col gap-0.5 text-xs" data-effect={proof.effect} aria-label={t('effect.title')}>
      {effects.map((effect, at) => (
        <EffectLine key={at} effect={effect} />
      ))}
      {proof.effect === 'none' && <li className="text-muted">{t('effect.none')}</li>}
      {proof.effect === 'unknown' && effects.length === 0 && (
        <li className="text-warn">{t('effect.unseen')}</li>
      )}
      {proof.page_says && (
        <li className="line-clamp-3 wrap-anywhere text-muted">
          {t('effect.says', { text: proof.page_says })}
        </li>
      )}
      {proof.grants?.map(({ id, scope }) => (
        <li key={id} className="flex items-center gap-1 text-muted" data-grant={id}>
          <ShieldCheck size={12} aria-hidden className="shrink-0" />
          {t(`allowed.${scope}`)}
        </li>
      ))}
    </ul>
  )
}

function EffectLine({ effect }: { effect: Effect }) {
  const t = useWords(words)
  const isDoubtful = effect.outcome !== 'accepted' || effect.repeated
  return (
    <li className={cx('wrap-anywhere', isDoubtful ? 'text-warn' : 'text-muted')}>
      {isDoubtful && <TriangleAlert size={12} aria-hidden className="me-1 inline align-[-2px]" />}
      {effectWords(effect, t)}
    </li>
  )
}

type Words = ReturnType<typeof useWords<(typeof words)['en']>>

/** "Sent to shop.example" */
export function effectWords(effect: Effect, t: Words): string {
  const verb = effect.method === 'GET' && effect.outcome === 'accepted' ? 'opened' : effect.outcome
  const line = t(`effect.${verb}`, { host: effect.host })
  const why = effect.failure && t(`failure.${effect.failure}`)
  const times = (effect.times ?? 1) > 1 && t('effect.times', { n: effect.times ?? 1 })
  return [line, why, times, effect.repeated && t('effect.repeated')].filter(Boolean).join(' · ')
}

/** "POST shop.example/orders — 201": for those who open the step. */
export const requestWords = ({ method, host, path, status }: Effect): string =>
  `${method} ${host}${path}${status ? ` — ${status}` : ''}`

/** Whether the user should check it: it was refused, sent twice, or its outcome is unknown. */
export const isDoubtful = ({ effect, effects }: Proof) =>
  effect === 'refused' || effect === 'unknown' || (effects ?? []).some((one) => one.repeated)
