import { useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CircleX } from 'lucide-react'
import { useEffect, useState } from 'react'
import { api } from '@/api/client'
import type { ToolServer, ToolServerTest } from '@/api/types'
import { useWords } from '@/i18n'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { Spinner } from '@/ui/Spinner'
import { Switch } from '@/ui/Switch'
import { toast } from '@/ui/Toasts'
import { ServerTools } from './ServerTools'
import { words } from './toolServerWords'

interface Props {
  server: ToolServer
  /** It was added just now: it is tested at once, and its tools are shown. */
  isNew: boolean
}

type Test = Pick<ToolServerTest, 'ok' | 'detail' | 'milliseconds'>

export function ToolServerItem({ server, isNew }: Props) {
  const t = useWords(words)
  const client = useQueryClient()
  const [result, setResult] = useState<Test | 'testing' | null>(null)
  const [isOpen, setOpen] = useState(isNew)
  const isFixed = server.source === 'environment'
  const refresh = () => client.invalidateQueries({ queryKey: ['tool-servers'] })
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      toast((error as Error).message)
    }
    await refresh()
  }
  const test = async () => {
    setResult('testing')
    const failed = (error: Error) => ({ ok: false, detail: error.message, milliseconds: 0 })
    setResult(await api.testToolServer(server.id).catch(failed))
    await refresh()
  }
  useEffect(() => {
    if (isNew) void test()
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, when it was added
  }, [isNew])
  return (
    <li className="flex flex-col gap-2 border-t border-line py-3" data-server={server.name}>
      <Head server={server} />
      {server.fault && result === null && <Outcome ok={false} text={server.fault} />}
      {!isFixed && (
        <Switch
          label={t('tools.on')}
          checked={server.enabled}
          onChange={(enabled) => void attempt(() => api.changeToolServer(server.id, { enabled }))}
        />
      )}
      <Actions
        server={server}
        isOpen={isOpen}
        isTesting={result === 'testing'}
        attempt={attempt}
        onTest={() => void test()}
        onShow={() => setOpen(!isOpen)}
      />
      <TestStatus result={result} />
      {isOpen && countOf(server) > 0 && <ServerTools server={server} />}
    </li>
  )
}

const countOf = ({ reads, asks, off }: ToolServer): number => reads + asks + off

interface ActionsProps {
  server: ToolServer
  isOpen: boolean
  isTesting: boolean
  attempt: (work: () => Promise<unknown>) => Promise<void>
  onTest: () => void
  onShow: () => void
}

function Actions({ server, isOpen, isTesting, attempt, onTest, onShow }: ActionsProps) {
  const t = useWords(words)
  const count = countOf(server)
  const isFixed = server.source === 'environment'
  const logIn = () => attempt(async () => location.assign((await api.beginLogin(server.id)).url))
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        small
        aria-label={t('tools.test.of', { name: server.name })}
        disabled={isTesting}
        onClick={onTest}
      >
        {t('tools.test')}
      </Button>
      {server.login === 'needed' && (
        <Button
          small
          tone="primary"
          aria-label={t('tools.login.of', { name: server.name })}
          onClick={() => void logIn()}
        >
          {t('tools.login')}
        </Button>
      )}
      {server.login === 'kept' && (
        <Button
          small
          aria-label={t('tools.logout.of', { name: server.name })}
          onClick={() => void attempt(() => api.endLogin(server.id))}
        >
          {t('tools.logout')}
        </Button>
      )}
      {count > 0 && (
        <Button
          small
          aria-expanded={isOpen}
          aria-label={t('tools.show.of', { name: server.name })}
          onClick={onShow}
        >
          {t('tools.show', { n: count })}
        </Button>
      )}
      {!isFixed && (
        <Button
          small
          tone="quiet"
          aria-label={t('tools.remove.of', { name: server.name })}
          onClick={() => void attempt(() => api.removeToolServer(server.id))}
        >
          {t('delete')}
        </Button>
      )}
    </div>
  )
}

function TestStatus({ result }: { result: Test | 'testing' | null }) {
  const t = useWords(words)
  return (
    <div role="status">
      {result === 'testing' && (
        <p className="flex items-center gap-1.5 text-xs text-muted">
          <Spinner size={13} />
          {t('tools.testing')}
        </p>
      )}
      {result && result !== 'testing' && (
        <Outcome
          ok={result.ok}
          text={result.ok ? t('tools.took', { text: result.detail, n: result.milliseconds }) : result.detail}
        />
      )}
    </div>
  )
}

function Head({ server }: { server: ToolServer }) {
  const t = useWords(words)
  const { reads, asks, off } = server
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="text-sm font-medium wrap-anywhere">{server.name}</h3>
        {server.source === 'environment' && <Badge tone="plain">{t('tools.environment')}</Badge>}
        {server.login === 'needed' && <Badge tone="warn">{t('tools.login.needed')}</Badge>}
        {server.login === 'kept' && <Badge tone="ok">{t('tools.login.kept')}</Badge>}
        {server.changed > 0 && <Badge tone="warn">{t('tools.changed')}</Badge>}
      </div>
      <p className="font-mono text-xs wrap-anywhere text-muted">
        {[server.address, ...server.headers].join(' · ')}
      </p>
      <p className="text-xs text-muted">
        {countOf(server) ? t('tools.counts', { reads, asks, off }) : t('tools.unlisted')}
      </p>
      {server.source === 'environment' && (
        <p className="text-xs text-muted">{t('tools.environment.about')}</p>
      )}
    </div>
  )
}

function Outcome({ ok, text }: { ok: boolean; text: string }) {
  const Icon = ok ? CircleCheck : CircleX
  return (
    <p className={`flex items-start gap-1.5 text-xs wrap-anywhere ${ok ? 'text-ok' : 'text-danger'}`}>
      <Icon size={14} aria-hidden className="mt-0.5 shrink-0" />
      {text}
    </p>
  )
}
