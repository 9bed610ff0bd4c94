import { AskCard } from '@/features/approvals/AskCard'
import { useLive } from '@/stream/store'
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
}

export function FeedEntry({ entry, onToggle }: Props) {
  if (entry.kind === 'group')
    return <StepGroup ids={entry.ids} open={entry.open} onToggle={() => onToggle(entry.key)} />
  return <RowView id={entry.id} />
}

function RowView({ id }: { id: string }) {
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
    case 'ask':
      return <AskCard row={row} />
    case 'error':
      return <ErrorNote row={row} />
    default:
      return null
  }
}
