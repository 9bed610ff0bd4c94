import { useQueryClient } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { Grant } from '@/api/types'
import { useLang, useT, useWords } from '@/i18n'
import { kindWords, words as shared } from '@/session/grants/grantWords'
import { limitWords } from '@/session/grants/limits'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { TimeStamp } from '@/ui/TimeStamp'
import { toast } from '@/ui/Toasts'
import { words } from './grantsWords'

/** One grant with its limits and uses, and the way to take it back. */
export function GrantItem({ grant }: { grant: Grant }) {
  const t = useWords(words)
  const tell = useWords(shared)
  const page = useT()
  const lang = useLang()
  const client = useQueryClient()
  const kind = kindWords(grant.kind, tell)
  // Of a tool, what follows its name says which version it is.
  const site = grant.site.replace(/^tool:(.+)@\w+$/, '$1')
  const title = grant.session_title || grant.automation_name || page('sessions.untitled')
  const revoke = async () => {
    try {
      await api.revoke(grant.id)
    } catch (error) {
      toast((error as Error).message)
    }
    await client.invalidateQueries({ queryKey: ['grants'] })
  }
  return (
    <li className="flex items-start gap-3 border-t border-line py-3" data-grant={grant.id}>
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <p className="flex flex-wrap items-center gap-x-2 text-sm">
          <span className="font-medium wrap-anywhere">{kind}</span>
          {grant.is_over && <Badge tone="plain">{t('grants.over')}</Badge>}
        </p>
        <p className="text-sm wrap-anywhere">
          {site} <span className="text-muted">· {t(`on.${grant.scope}`, { title })}</span>
        </p>
        <p className="tabular text-xs wrap-anywhere text-muted">{limitWords(grant, tell, lang)}</p>
        <p className="tabular text-xs text-muted">
          {grant.last_use ? (
            <>
              {grant.count === null && <>{t('grants.used', { n: grant.uses })} · </>}
              {t('grants.last', { time: '' })}
              <TimeStamp at={grant.last_use} />
            </>
          ) : (
            t('grants.unused')
          )}
        </p>
      </div>
      <Button small aria-label={t('grants.revoke.what', { kind, site })} onClick={() => void revoke()}>
        {t('grants.revoke')}
      </Button>
    </li>
  )
}
