import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '@/api/client'
import { useWords } from '@/i18n'
import { Button } from '@/ui/Button'
import { Spinner } from '@/ui/Spinner'
import { NewToolServer } from './NewToolServer'
import { Section } from './Section'
import { ToolServerItem } from './ToolServerItem'
import { words } from './toolServerWords'

const QUERY = { queryKey: ['tool-servers'], queryFn: api.toolServers }

/** The MCP servers whose tools both agents can use. */
export function ToolsTab() {
  const t = useWords(words)
  const { data, isPending, isError, refetch } = useQuery(QUERY)
  const [isAdding, setAdding] = useState(false)
  const [added, setAdded] = useState<string | null>(null)
  return (
    <Section title={t('tools.title')} about={t('tools.about')}>
      {isPending && <Spinner className="text-muted" />}
      {isError && (
        <div role="alert" className="flex flex-col items-start gap-3">
          <p className="text-sm">{t('tools.failed')}</p>
          <Button onClick={() => void refetch()}>{t('retry')}</Button>
        </div>
      )}
      {data?.items.length === 0 && !isAdding && <p className="text-sm text-muted">{t('tools.none')}</p>}
      {data && (
        <ul className="flex flex-col empty:hidden">
          {data.items.map((server) => (
            <ToolServerItem key={server.id} server={server} isNew={server.id === added} />
          ))}
        </ul>
      )}
      {isAdding && data ? (
        <NewToolServer
          allowsCommands={data.commands_allowed}
          onAdded={(id) => {
            setAdded(id)
            setAdding(false)
            void refetch()
          }}
          onClose={() => setAdding(false)}
        />
      ) : (
        <Button className="self-start" disabled={!data} onClick={() => setAdding(true)}>
          <Plus size={15} aria-hidden />
          {t('tools.add')}
        </Button>
      )}
    </Section>
  )
}
