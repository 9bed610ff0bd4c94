import { CircleCheck, CircleSlash, CircleX } from 'lucide-react'
import { useT, useWords } from '@/i18n'
import { inLanguage } from '@/i18n/sentences'
import { actionWords } from '@/session/toolWords'
import type { QuestionRow } from '@/stream/rows'
import { Rail } from '@/ui/Rail'
import { answerWord, isSpending } from './questionWords'
import { startWords } from './startPlanWords'

/** A closed question, on one line. */
export function PastQuestion({ row }: { row: QuestionRow }) {
  const t = useT()
  const tell = useWords(startWords)
  const { kind, reason, start, would_send: sends } = row.question
  const what = kind === 'manual' ? reason : start ? tell('start.title') : actionWords(row.question, t)
  const word = answerWord(row)
  return (
    <Rail icon={ICONS[row.answer as keyof typeof ICONS]}>
      <p className="flex min-h-8 min-w-0 items-center gap-1.5 text-sm">
        <span className="shrink-0 font-medium">{t(word)}</span>
        {word !== 'question.replan' && <span className="truncate text-muted">{what}</span>}
        {row.question.amount && isSpending(row.question) && (
          <span className="tabular shrink-0 text-muted">· {row.question.amount}</span>
        )}
      </p>
      {sends && (
        <p className="pb-1.5 text-sm wrap-anywhere text-muted">
          {t('question.wasToSend')} {inLanguage(sends, row.question.would_send_parts)}
        </p>
      )}
      {row.note && (
        <p className="pb-1.5 text-sm wrap-anywhere whitespace-pre-wrap">{t('quoted', { text: row.note })}</p>
      )}
    </Rail>
  )
}

const ICONS = {
  yes: <CircleCheck size={15} className="text-ok" />,
  no: <CircleX size={15} className="text-danger" />,
  void: <CircleSlash size={15} className="text-faint" />,
}
