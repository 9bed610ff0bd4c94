import { useState } from 'react'
import { useLang } from '@/i18n'
import { inLanguage } from '@/i18n/sentences'
import { duration } from '@/lib/numbers'
import type { Lang } from '@/lib/prefs'
import type { Shot } from '@/session/shots'
import { Disclosure } from '@/ui/Disclosure'
import { MARK_LOOK } from './marks'
import { answerKey, useShotWords } from './shotWords'

/** Address, time taken and result of a step on one line; its arguments below, when asked for. */
export function ShotDetails({ shot }: { shot: Shot }) {
  const t = useShotWords()
  const lang = useLang()
  const [isOpen, setOpen] = useState(false)
  return (
    <Disclosure
      open={isOpen}
      onToggle={() => setOpen(!isOpen)}
      className="min-w-0 flex-1"
      summary={<Facts shot={shot} />}
    >
      <dl
        className="mb-1 max-h-40 overflow-y-auto rounded-md border border-line bg-bg p-2 text-xs"
        tabIndex={0}
      >
        {detailsOf(shot, lang).map(([name, text]) => (
          <div key={name} className="py-0.5">
            <dt className="text-2xs text-faint">{t(name)}</dt>
            <dd className="wrap-anywhere whitespace-pre-wrap">{text}</dd>
          </div>
        ))}
      </dl>
    </Disclosure>
  )
}

/** Milliseconds below which a duration says nothing. */
const MIN_SHOWN_MS = 50

function Facts({ shot }: { shot: Shot }) {
  const t = useShotWords()
  const lang = useLang()
  const { row, mark } = shot
  const facts = [
    row.kind === 'tool' &&
      row.durationMs !== null &&
      row.durationMs >= MIN_SHOWN_MS &&
      duration(row.durationMs, lang),
    row.kind === 'tool' && t(row.status === 'failed' ? 'tool.failed' : 'tool.ok'),
    row.kind === 'question' && t(answerKey(row)),
  ].filter(Boolean)
  return (
    <span className="flex min-w-0 items-center gap-1.5 text-xs text-muted">
      {mark && <span aria-hidden>{MARK_LOOK[mark].icon}</span>}
      <span className="min-w-0 truncate">{shot.url ?? t('shot.nowhere')}</span>
      <span className="tabular shrink-0">{facts.map((fact) => `· ${fact}`).join(' ')}</span>
    </span>
  )
}

type Detail = ['tool.reason' | 'tool.result' | 'tool.arguments' | 'question.why', string]

function detailsOf({ row }: Shot, lang: Lang): Detail[] {
  if (row.kind === 'question') {
    const { reason, reason_parts: parts } = row.question
    return [['question.why', inLanguage(reason, parts, lang)]]
  }
  const { reason, ...args } = row.args
  const details: Detail[] = [
    ['tool.result', inLanguage(row.summary, row.parts, lang)],
    ['tool.arguments', `${row.name} ${JSON.stringify(args, null, 2)}`],
  ]
  return typeof reason === 'string' ? [['tool.reason', reason], ...details] : details
}
