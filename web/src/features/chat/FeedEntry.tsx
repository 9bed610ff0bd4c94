import type { ComponentType } from 'react'
import type { QuestionRow } from '@/stream/rows'
import { useLive } from '@/stream/store'
import { ActivityLine } from './ActivityLine'
import { AssistantText } from './AssistantText'
import type { Entry } from './entries'
import { ErrorNote } from './ErrorNote'
import { StepGroup } from './StepGroup'
import { Thinking } from './Thinking'
import { ToolCard } from './ToolCard'
import { UserMessage } from './UserMessage'

interface Props {
  entry: Entry
  onToggle: (key: string) => void
  /** Draws a question, open or answered. */
  Question: ComponentType<{ row: QuestionRow }>
  /** Draws the table of a run from the steps that recorded its rows. */
  Table: ComponentType<{ ids: string[] }>
}

export function FeedEntry({ entry, onToggle, Question, Table }: Props) {
  if (entry.kind === 'table') return <Table ids={entry.ids} />
  if (entry.kind === 'group') return <StepGroup {...entry} onToggle={() => onToggle(entry.key)} />
  return <RowView id={entry.id} Question={Question} />
}

function RowView({ id, Question }: Pick<Props, 'Question'> & { id: string }) {
  const row = useLive((state) => state.rows[id])
  switch (row?.kind) {
    case 'user':
      return <UserMessage row={row} />
    case 'text':
      return <AssistantText row={row} />
    case 'thinking':
      return <Thinking row={row} />
    case 'tool':
      return <ToolCard row={row} />
    case 'question':
      return <Question row={row} />
    case 'activity':
      return <ActivityLine row={row} />
    case 'error':
      return <ErrorNote row={row} />
    default:
      return null
  }
}
