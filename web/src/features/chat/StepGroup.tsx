import { ChevronRight, Footprints } from 'lucide-react'
import { useMemo } from 'react'
import { useLang, useWords } from '@/i18n'
import { cx } from '@/lib/cx'
import { duration } from '@/lib/numbers'
import { hostOf } from '@/lib/url'
import { useSessionStore } from '@/stream/store'
import { Rail } from '@/ui/Rail'
import { words as effectWords } from './effectWords'
import { Effects } from './Effects'
import { isApproval, toolsOf } from './entries'
import { words } from './stepGroupWords'

interface Props {
  ids: string[]
  open: boolean
  /** Milliseconds until the answer below it; null without one. */
  worked: number | null
  onToggle: () => void
}

export function StepGroup({ ids, open, worked, onToggle }: Props) {
  const t = useWords(words)
  const tell = useWords(effectWords)
  const lang = useLang()
  const store = useSessionStore()
  const sum = useMemo(() => summarise(ids, store.getState().rows), [ids, store])
  const steps = t('steps', { n: sum.steps })
  const title = worked === null ? steps : t('worked', { time: duration(worked, lang) })
  const facts = [
    worked !== null && steps,
    worked === null && sum.ms >= 100 && duration(sum.ms, lang),
    sum.approved > 0 && t('approved', { n: sum.approved }),
    sum.failed > 0 && t('failed', { n: sum.failed }),
    sum.sites > 1 && t('sites', { n: sum.sites }),
    sum.site,
  ].filter(Boolean)
  return (
    <Rail icon={<Footprints size={15} className="text-muted" />}>
      <button
        type="button"
        aria-expanded={open}
        onClick={onToggle}
        className={cx(
          'touch flex min-h-8 items-center gap-1.5 rounded-md text-start text-sm',
          worked !== null && 'settling',
        )}
      >
        <span className="tabular min-w-0 truncate text-xs text-faint">
          <span className="text-sm font-medium text-text">{title}</span>
          {facts.map((fact) => `, ${fact}`)}
        </span>
        <ChevronRight
          size={14}
          aria-hidden
          className={cx('shrink-0 text-faint transition-transform', open && 'rotate-90')}
        />
      </button>
      {!open && sum.proofs.length > 0 && (
        <section aria-label={tell('effect.receipt')} className="flex flex-col gap-1.5 pb-1">
          {sum.proofs.map(({ id, proof }) => (
            <Effects key={id} proof={proof} />
          ))}
        </section>
      )}
    </Rail>
  )
}

function summarise(ids: string[], rows: Parameters<typeof toolsOf>[1]) {
  const tools = toolsOf(ids, rows)
  const sites = new Set(tools.map((tool) => hostOf(tool.url)).filter(Boolean))
  return {
    steps: tools.length,
    sites: sites.size,
    site: sites.size === 1 ? [...sites][0] : null,
    ms: tools.reduce((sum, tool) => sum + (tool.durationMs ?? 0), 0),
    approved: ids.filter((id) => isApproval(rows[id])).length,
    failed: tools.filter((tool) => tool.status === 'failed').length,
    proofs: tools.flatMap(({ id, proof }) => (proof ? [{ id, proof }] : [])),
  }
}
