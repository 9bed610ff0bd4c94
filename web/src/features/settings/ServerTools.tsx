import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { ServerTool, ToolMode, ToolServer } from '@/api/types'
import { useWords } from '@/i18n'
import { Badge } from '@/ui/Badge'
import { Choice } from '@/ui/Choice'
import { Spinner } from '@/ui/Spinner'
import { toast } from '@/ui/Toasts'
import { words } from './toolServerWords'

const MODES: ToolMode[] = ['reads', 'asks', 'off']

/** What a server offers, and what the person allows of it. */
export function ServerTools({ server }: { server: ToolServer }) {
  const t = useWords(words)
  const client = useQueryClient()
  const key = ['tool-servers', server.id, server.listed_at]
  const { data, isPending } = useQuery({ queryKey: key, queryFn: () => api.toolsOf(server.id) })
  const decide = async (tool: ServerTool, mode: ToolMode) => {
    try {
      await api.changeToolServer(server.id, { tools: [{ name: tool.name, pin: tool.pin, mode }] })
    } catch (error) {
      toast((error as Error).message)
    }
    await client.invalidateQueries({ queryKey: ['tool-servers'] })
  }
  if (isPending) return <Spinner className="text-muted" />
  return (
    <div className="flex flex-col gap-2">
      <p className="text-xs text-muted">{t('tools.mode.note')}</p>
      <ul aria-label={t('tools.show.of', { name: server.name })} className="flex flex-col">
        {data?.items.map((tool) => (
          <ToolLine
            key={tool.name}
            tool={tool}
            isFixed={server.source === 'environment'}
            onChange={(mode) => void decide(tool, mode)}
          />
        ))}
      </ul>
    </div>
  )
}

interface LineProps {
  tool: ServerTool
  isFixed: boolean
  onChange: (mode: ToolMode) => void
}

function ToolLine({ tool, isFixed, onChange }: LineProps) {
  const t = useWords(words)
  return (
    <li className="flex flex-col gap-1.5 border-t border-line py-2" data-tool={tool.name}>
      <div className="flex flex-wrap items-center gap-2">
        <code className="min-w-0 font-mono text-sm wrap-anywhere">{tool.name}</code>
        {tool.has_changed && <Badge tone="warn">{t('tools.changed')}</Badge>}
      </div>
      <p className="line-clamp-3 text-xs wrap-anywhere text-muted">{tool.description}</p>
      <p className="text-xs text-muted">{t(`tools.claim.${tool.claim}`)}</p>
      {isFixed ? (
        <p className="text-sm">{t(`tools.mode.${tool.mode}`)}</p>
      ) : (
        <Choice
          label={t('tools.mode', { tool: tool.name })}
          options={MODES.map((value) => ({ value, label: t(`tools.mode.${value}`) }))}
          value={tool.mode}
          onChange={(mode) => onChange(mode as ToolMode)}
        />
      )}
    </li>
  )
}
