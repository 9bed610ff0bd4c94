import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '@/api/client'
import type { Automation } from '@/api/types'
import { useWords } from '@/i18n'
import { copyText } from '@/lib/copy'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { toast } from '@/ui/Toasts'
import { words } from './automationWords'
import { BASE } from '@/lib/base'

/** The address that begins an automation: made, made again, removed. */
export function HookDialog({ automation, onClose }: { automation: Automation; onClose: () => void }) {
  const t = useWords(words)
  const client = useQueryClient()
  const [address, setAddress] = useState<string | null>(null)
  const call = async (action: Promise<string | null>) => {
    try {
      setAddress(await action)
    } catch (error) {
      toast((error as Error).message)
    }
    await client.invalidateQueries({ queryKey: ['automations'] })
  }
  const make = () => void call(api.newHook(automation.id).then(({ path }) => location.origin + BASE + path))
  const remove = () => void call(api.removeHook(automation.id).then(() => null))
  const hasHook = automation.has_hook
  return (
    <Dialog open onClose={onClose} title={`${t('auto.hook')}: ${automation.name}`}>
      <div className="flex flex-col gap-4">
        <p className="text-sm text-muted">{t('auto.hook.about')}</p>
        {hasHook && !address && <p className="text-sm">{t('auto.hook.has')}</p>}
        {address && (
          <code className="rounded-md bg-s2 p-3 font-mono text-sm wrap-anywhere select-all">{address}</code>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          {hasHook && (
            <Button tone="quiet" onClick={remove}>
              {t('auto.hook.remove')}
            </Button>
          )}
          {address && (
            <Button onClick={() => void copyText(address).then(() => toast(t('copied')))}>{t('copy')}</Button>
          )}
          <Button tone="primary" onClick={make}>
            {t(hasHook ? 'auto.hook.renew' : 'auto.hook.new')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
