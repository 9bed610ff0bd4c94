import { useWords } from '@/i18n'
import type { Shot } from '@/session/shots'
import { actionWords, toolWords } from '@/session/toolWords'
import { words } from './viewerWords'

export const useShotWords = () => useWords(words)

/** What happened at this step, in words. */
export function shotWords({ row }: Shot, t: ReturnType<typeof useShotWords>): string {
  if (row.kind === 'question')
    return row.question.kind === 'manual'
      ? t('shot.handover')
      : `${t('shot.asked')} ${actionWords(row.question, t)}`
  const { verb, name, object } = toolWords(row)
  return `${verb ? t(verb) : name} ${object ? t('quoted', { text: object }) : ''}`.trim()
}
