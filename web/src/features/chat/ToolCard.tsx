import { CircleStop, CircleX, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { useLang, useT, useWords } from '@/i18n'
import { inLanguage } from '@/i18n/sentences'
import { duration } from '@/lib/numbers'
import { hostOf } from '@/lib/url'
import { downloadsOf } from '@/session/downloads'
import { SECOND_MODEL, toolWords } from '@/session/toolWords'
import type { ToolRow } from '@/stream/rows'
import { Disclosure } from '@/ui/Disclosure'
import { Rail } from '@/ui/Rail'
import { Spinner } from '@/ui/Spinner'
import { words } from './effectWords'
import { Effects, isDoubtful, requestWords } from './Effects'
import { Elapsed } from './Elapsed'
import { FileChips } from './FileChips'
import { ScreenshotThumb } from './ScreenshotThumb'

export function ToolCard({ row }: { row: ToolRow }) {
  const [isOpen, setOpen] = useState(false)
  const { icon: Icon } = toolWords(row, useT())
  return (
    <Rail icon={<StepIcon row={row} icon={<Icon size={15} />} />}>
      <div className="flex items-start gap-3" data-tool={row.name} data-status={row.status}>
        <div className="min-w-0 flex-1">
          <Disclosure
            open={isOpen}
            onToggle={() => setOpen(!isOpen)}
            summary={<Title row={row} />}
            note={
              <>
                <Facts row={row} />
                {row.proof && <Effects proof={row.proof} />}
              </>
            }
          >
            <Details row={row} />
          </Disclosure>
          <Files row={row} />
        </div>
        {row.screenshot && <ScreenshotThumb row={row} />}
      </div>
    </Rail>
  )
}

function Files({ row }: { row: ToolRow }) {
  const files = downloadsOf(row)
  if (files.length === 0) return null
  return (
    <div className="flex flex-wrap gap-1.5 pt-1 pb-1.5">
      <FileChips files={files} />
    </div>
  )
}

/** It was under way when the user stopped the run. */
const isStopped = (row: ToolRow) => row.status === 'failed' && row.reason === 'cancelled'

const endOf = (row: ToolRow) =>
  isStopped(row) ? 'tool.stopped' : row.reason === 'interrupted' ? 'tool.interrupted' : 'tool.failed'

function StepIcon({ row, icon }: { row: ToolRow; icon: React.ReactNode }) {
  if (row.status === 'running') return <Spinner size={15} className="text-accent-text" />
  if (isStopped(row)) return <CircleStop size={15} className="text-muted" />
  if (row.status === 'failed') return <CircleX size={15} className="text-warn" />
  if (row.proof && isDoubtful(row.proof)) return <TriangleAlert size={15} className="text-warn" />
  return <span className="text-muted">{icon}</span>
}

/** Milliseconds below which a duration says nothing. */
const MIN_SHOWN_MS = 50

function Title({ row }: { row: ToolRow }) {
  const t = useT()
  const { verb, name, object } = toolWords(row, t, row.status === 'ok')
  return (
    <span className="truncate text-sm">
      {verb ? t(verb) : name} {object && <strong className="font-medium">{object}</strong>}
    </span>
  )
}

function Facts({ row }: { row: ToolRow }) {
  const t = useT()
  const tell = useWords(words)
  const lang = useLang()
  const host = hostOf(row.url)
  const facts = [
    host !== toolWords(row, t).object && host,
    row.durationMs !== null && row.durationMs >= MIN_SHOWN_MS && duration(row.durationMs, lang),
    row.status === 'ok' && row.proof && tell(`result.${row.proof.effect!}`),
    row.status === 'failed' && t(endOf(row)),
  ].filter((fact): fact is string => !!fact)
  return (
    <>
      <span className="tabular max-w-full truncate text-2xs text-faint">
        {facts.join(' · ')}
        {row.status === 'running' && <Running row={row} />}
      </span>
      {row.name === SECOND_MODEL && (
        <span className="text-xs wrap-anywhere text-muted">{inLanguage(row.summary, row.parts, lang)}</span>
      )}
      {row.status === 'failed' && row.summary && !isStopped(row) && (
        <span className="text-xs text-warn">{inLanguage(row.summary, row.parts, lang)}</span>
      )}
    </>
  )
}

function Running({ row }: { row: ToolRow }) {
  const t = useT()
  return (
    <>
      {t('tool.running')}
      <Elapsed since={row.at} />
      {typeof row.args.reason === 'string' && ` · ${row.args.reason}`}
    </>
  )
}

function Details({ row }: { row: ToolRow }) {
  const t = useT()
  const tell = useWords(words)
  const lang = useLang()
  const { reason, ...args } = row.args
  return (
    <dl className="mt-1.5 mb-2 flex flex-col gap-2 rounded-lg border border-line bg-s1 p-3 text-xs">
      {typeof reason === 'string' && (
        <div>
          <dt className="text-2xs text-faint">{t('tool.reason')}</dt>
          <dd className="wrap-anywhere">{reason}</dd>
        </div>
      )}
      {row.summary && (
        <div>
          <dt className="text-2xs text-faint">{t('tool.result')}</dt>
          <dd className="max-h-60 overflow-y-auto wrap-anywhere whitespace-pre-wrap">
            {inLanguage(row.summary, row.parts, lang)}
          </dd>
        </div>
      )}
      {!!row.proof?.effects?.length && (
        <div>
          <dt className="text-2xs text-faint">{tell('effect.requests')}</dt>
          {row.proof.effects.map((effect, at) => (
            <dd key={at} className="wrap-anywhere text-muted">
              {requestWords(effect)}
            </dd>
          ))}
        </div>
      )}
      {row.url && (
        <div>
          <dt className="text-2xs text-faint">{t('tool.page')}</dt>
          <dd className="wrap-anywhere text-muted">{row.url}</dd>
        </div>
      )}
      <div>
        <dt className="text-2xs text-faint">
          {t('tool.arguments')} · <code className="font-mono">{row.name}</code>
        </dt>
        <dd>
          <pre className="max-h-60 overflow-auto font-mono text-2xs wrap-anywhere whitespace-pre-wrap">
            {JSON.stringify(args, null, 2)}
          </pre>
        </dd>
      </div>
    </dl>
  )
}
