import { api } from '@/api/client'
import type { SessionDetail } from '@/api/types'
import { splitAttached } from '@/lib/attached'
import { type ScheduleDraft, useScheduleDraft } from '@/lib/scheduleDraft'
import { shortened } from '@/lib/shortened'
import { toast } from '@/ui/Toasts'

const NAME_LENGTH = 60
const COMMAND = /^\/schedule(?:\s+([\s\S]*))?$/

/** The task of a run, by default of the last one, with its first address: to be made an automation. */
export function draftOf(session: SessionDetail, runId?: string): ScheduleDraft {
  const begins = session.messages.filter(
    ({ role, run_id, meta_json }) =>
      role === 'user' && meta_json?.mode !== 'steer' && (!runId || run_id === runId),
  )
  const task = begins.at(-1)
  const opened = session.messages.find(
    ({ role, run_id, meta_json }) => role === 'tool' && run_id === task?.run_id && meta_json?.url,
  )
  const url = opened?.meta_json?.url
  const { words } = splitAttached(task?.content ?? '')
  return {
    name: shortened(session.title, NAME_LENGTH) || shortened(words, NAME_LENGTH),
    task: words,
    agent: session.agent,
    model: session.model,
    max_tool_steps: session.max_tool_steps,
    ask_first: session.ask_first,
    result_schema: task?.meta_json?.result_schema ?? null,
    start_url: url && /^https?:/.test(url) ? url : null,
    created_from: session.id,
  }
}

export function repeat(sessionId: string, runId?: string): void {
  api.session(sessionId).then(
    (session) => useScheduleDraft.getState().open(draftOf(session, runId)),
    (error: Error) => toast(error.message),
  )
}

/** Whether the text was `/schedule TASK`: then the form is open. */
export function takeSchedule(text: string, draft: ScheduleDraft): boolean {
  const found = COMMAND.exec(text)
  if (!found) return false
  const task = found[1]?.trim() ?? ''
  useScheduleDraft.getState().open({ ...draft, task, name: shortened(task, NAME_LENGTH) })
  return true
}
