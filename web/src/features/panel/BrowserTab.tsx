import { useT } from '@/i18n'
import { TargetOverlay } from '@/features/screenshots/TargetOverlay'
import { useOpenViewer } from '@/features/screenshots/viewer'
import { pictureUrl } from '@/lib/url'
import type { ToolRow } from '@/stream/rows'
import { type SessionState, useLive } from '@/stream/store'
import { Button } from '@/ui/Button'

/** Where the browser is: the last picture and address of it. */
export function BrowserTab() {
  const t = useT()
  const shot = useLive(lastShot)
  const page = useLive((state) => state.page)
  const open = useOpenViewer()
  const address = pictureUrl(shot?.screenshot)
  if (!shot || !address) return <p className="p-4 text-sm text-muted">{t('browser.none')}</p>
  return (
    <div className="flex flex-col gap-3 p-4">
      <div className="relative overflow-hidden rounded-md border border-line bg-s2">
        <img
          src={address}
          width={1280}
          height={800}
          alt={t('shot.alt', { what: shot.url ?? shot.summary })}
          className="block h-auto w-full"
        />
        <TargetOverlay box={shot.box} />
      </div>
      <div className="min-w-0">
        <p className="truncate text-sm font-medium">{page?.title}</p>
        <p className="truncate text-xs text-muted" title={page?.url ?? shot.url ?? undefined}>
          {page?.url ?? shot.url}
        </p>
      </div>
      <Button className="self-start" onClick={() => open(shot.id)}>
        {t('browser.steps')}
      </Button>
    </div>
  )
}

function lastShot({ ids, rows }: SessionState): ToolRow | null {
  for (let index = ids.length - 1; index >= 0; index -= 1) {
    const row = rows[ids[index]!]
    if (row?.kind === 'tool' && row.screenshot) return row
  }
  return null
}
