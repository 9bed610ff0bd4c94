import { ArrowRight, CalendarClock, Table2 } from 'lucide-react'
import { useT, useWords } from '@/i18n'
import { downloadsOf, useStepsOf } from '@/session/downloads'
import { repeat } from '@/session/repeat'
import { sendMessage } from '@/session/send'
import { useSessionId } from '@/session/sessionId'
import { isOpen } from '@/stream/live'
import type { TextRow } from '@/stream/rows'
import { useLive } from '@/stream/store'
import { Chip } from '@/ui/Chip'
import { words } from './answerWords'
import { FileChips } from './FileChips'
import { reveal } from './reveal'

/** What an answer leads to: the files and the table of its run; below the last one, to repeat it and to go on. */
export function AnswerChips({ row }: { row: TextRow }) {
  const t = useT()
  const tell = useWords(words)
  const sessionId = useSessionId()
  const steps = useStepsOf(row.id)
  const isLast = useLive(({ ids, rows, run }) => {
    const end = ids.at(rows[ids.at(-1) ?? '']?.kind === 'error' ? -2 : -1)
    return end === row.id && !isOpen(run)
  })
  const files = steps.flatMap(downloadsOf)
  const recorded = steps.filter((step) => step.result !== null)
  const count = recorded.reduce((sum, step) => sum + (step.result?.rows.length ?? 0), 0)
  const canContinue = isLast && (row.meta.outcome === 'limit' || !!row.meta.cut)
  const canRepeat = isLast && row.runId !== null
  if (files.length === 0 && count === 0 && !canContinue && !canRepeat) return null
  return (
    <div
      role="group"
      aria-label={tell('chips')}
      className="settling flex flex-wrap gap-1.5 pt-3 print:hidden"
    >
      <FileChips files={files} />
      {count > 0 && (
        <Chip icon={<Table2 size={14} />} onClick={() => reveal(`table:${recorded[0]!.id}`)}>
          {tell('chip.table', { n: count })}
        </Chip>
      )}
      {canRepeat && (
        <Chip icon={<CalendarClock size={14} />} onClick={() => repeat(sessionId, row.runId ?? undefined)}>
          {t('repeat')}
        </Chip>
      )}
      {canContinue && (
        <Chip icon={<ArrowRight size={14} />} onClick={() => sendMessage(sessionId, t('continue'), null)}>
          {t('continue')}
        </Chip>
      )}
    </div>
  )
}
