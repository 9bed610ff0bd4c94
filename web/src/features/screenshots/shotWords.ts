import { useWords } from '@/i18n'
import { inLanguage } from '@/i18n/sentences'
import type { Shot } from '@/session/shots'
import { actionWords, toolWords } from '@/session/toolWords'
import type { QuestionRow } from '@/stream/rows'
import { words } from './viewerWords'

export const useShotWords = () => useWords(words)

/** What happened at this step, in words. */
export function shotWords({ row }: Shot, t: ReturnType<typeof useShotWords>): string {
  if (row.kind === 'question')
    return row.question.kind !== 'manual'
      ? `${t('shot.asked')} ${actionWords(row.question, t)}`
      : row.question.wants === 'answer'
        ? `${t('shot.asked')} ${inLanguage(row.question.reason, row.question.reason_parts)}`
        : t('shot.handover')
  const { verb, name, object, isOwn } = toolWords(row, t)
  return `${verb ? t(verb) : name} ${object && !isOwn ? t('quoted', { text: object }) : (object ?? '')}`.trim()
}

/** What became of a question. */
export function answerKey({ answer, outcome }: QuestionRow) {
  if (answer === 'open') return 'shot.open.question'
  return `shot.answer.${outcome ?? answer}` as const
}
