import { useT, useWords } from '@/i18n'
import { pageOf } from '@/lib/url'
import { SECOND_MODEL, toolWords } from '@/session/toolWords'
import { isOpen } from '@/stream/live'
import type { ToolRow } from '@/stream/rows'
import { type SessionState, useLive } from '@/stream/store'
import { words } from './stageWords'

type Doing = Extract<keyof typeof words.en, `doing.${string}`>

/** The agent's current or last act in a few words. `isStarting`: its browser is still starting. */
export function useCaption(isStarting: boolean): string {
  const t = useT()
  const tell = useWords(words)
  const status = useLive(({ run }) => (isOpen(run) ? run.status : null))
  const isAsked = useLive(({ pending }) => pending !== null)
  const row = useLive(lastOfRun)
  if (isAsked) return tell('stage.waiting')
  if (status === 'paused') return t('run.paused')
  const isRunning = row?.status === 'running'
  if (status !== null && !isRunning && !row) return tell(isStarting ? 'stage.starting' : 'stage.thinking')
  if (!row) return ''
  const { verb, name, object } = toolWords(row, t, row.status === 'ok')
  const doing = isRunning && verb ? tell(verb.replace(/^do\./, 'doing.') as Doing) : null
  const act = [doing ?? (verb ? t(verb) : name), pageOf(row.args.url) ?? object].filter(Boolean).join(' ')
  if (row.status === 'failed' && row.reason !== 'cancelled') return tell('stage.failed', { act })
  return isRunning && isStarting ? `${tell('stage.starting')} · ${act}` : act
}

/** The newest act of the newest run; that the second model answers is none. */
function lastOfRun({ ids, rows, run }: SessionState): ToolRow | null {
  for (let at = ids.length - 1; at >= 0; at -= 1) {
    const row = rows[ids[at]!]
    if (row?.kind === 'tool' && row.name !== SECOND_MODEL) return row.runId === run?.id ? row : null
  }
  return null
}
