import { Check, Copy, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { api } from '@/api/client'
import type { Fact } from '@/api/types'
import { useT } from '@/i18n'
import { openReplay } from '@/lib/addresses'
import { useCopy } from '@/lib/copy'
import { hostOf, safeUrl } from '@/lib/url'
import { useSessionId } from '@/session/sessionId'
import { shotsOf } from '@/session/shots'
import { useLive, useSessionStore } from '@/stream/store'
import { IconButton } from '@/ui/IconButton'
import { TimeStamp } from '@/ui/TimeStamp'
import { toast } from '@/ui/Toasts'
import { stepOf } from './factStep'

export function FactsPanel() {
  const t = useT()
  const facts = useLive((state) => state.work.facts)
  const ids = useLive((state) => state.ids)
  const store = useSessionStore()
  const shots = useMemo(() => shotsOf(ids, store.getState().rows), [ids, store])
  if (facts.length === 0) return <p className="p-4 text-sm text-muted">{t('facts.none')}</p>
  return (
    <ul aria-label={t('facts')} className="flex flex-col px-2 py-2">
      {facts.map((fact, index) => (
        <FactItem key={`${index}-${fact.fact}`} fact={fact} index={index} step={stepOf(fact, shots)} />
      ))}
    </ul>
  )
}

function FactItem({ fact, index, step }: { fact: Fact; index: number; step: number | null }) {
  const t = useT()
  const [copied, copy] = useCopy()
  const sessionId = useSessionId()
  const store = useSessionStore()
  const source = safeUrl(fact.url)
  const drop = async () => {
    try {
      store.setState({ work: await api.dropFact(sessionId, index) })
    } catch (error) {
      toast((error as Error).message)
    }
  }
  return (
    <li className="group flex items-start gap-1 rounded-md px-2 py-1.5 hover:bg-s1">
      <div className="min-w-0 flex-1">
        <p dir="auto" className="text-sm wrap-anywhere">
          {fact.fact}
        </p>
        <p className="flex gap-1.5 text-2xs text-faint">
          {source && (
            <a
              href={source}
              target="_blank"
              rel="noopener noreferrer nofollow"
              className="truncate underline"
            >
              {hostOf(source)}
            </a>
          )}
          {step !== null && (
            <button type="button" className="shrink-0 underline" onClick={() => openReplay(sessionId, step)}>
              {t('facts.step', { n: step })}
            </button>
          )}
          <TimeStamp at={fact.at ?? null} />
        </p>
      </div>
      <span className="flex opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
        <IconButton small label={copied ? t('copied') : t('copy')} onClick={() => copy(fact.fact)}>
          {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
        </IconButton>
        <IconButton small label={t('delete')} onClick={() => void drop()}>
          <Trash2 size={14} aria-hidden />
        </IconButton>
      </span>
    </li>
  )
}
