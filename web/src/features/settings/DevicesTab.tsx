import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { LoggedInDevice } from '@/api/types'
import { useWords } from '@/i18n'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { Spinner } from '@/ui/Spinner'
import { TimeStamp } from '@/ui/TimeStamp'
import { toast } from '@/ui/Toasts'
import { PasswordForm } from './PasswordForm'
import { Section } from './Section'
import { words } from './deviceWords'

/** The browsers that are signed in, and the password. */
export function DevicesTab() {
  const t = useWords(words)
  const { data, isError, refetch } = useQuery({ queryKey: ['devices'], queryFn: api.devices })
  if (isError)
    return (
      <div role="alert" className="flex flex-col items-start gap-3">
        <p className="text-sm">{t('devices.failed')}</p>
        <Button onClick={() => void refetch()}>{t('retry')}</Button>
      </div>
    )
  if (!data) return <Spinner className="text-muted" />
  return (
    <>
      <Section title={t('devices.title')} about={t('devices.about')}>
        <ul>
          {data.items.map((device) => (
            <DeviceItem key={device.id} device={device} />
          ))}
        </ul>
      </Section>
      <Section title={t('password.title')} about={t('password.about')}>
        {data.can_change_password ? (
          <PasswordForm onChanged={() => void refetch()} />
        ) : (
          <p className="text-sm">{t('password.fixed')}</p>
        )}
      </Section>
    </>
  )
}

function DeviceItem({ device }: { device: LoggedInDevice }) {
  const t = useWords(words)
  const client = useQueryClient()
  const name = device.browser || t('devices.unknown')
  const end = async () => {
    try {
      await api.endDevice(device.id)
    } catch (error) {
      toast((error as Error).message)
    }
    await client.invalidateQueries({ queryKey: ['devices'] })
  }
  return (
    <li className="flex items-start gap-3 border-t border-line py-3">
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <p className="flex flex-wrap items-center gap-x-2 text-sm">
          <span className="font-medium wrap-anywhere">{name}</span>
          {device.is_here && <Badge tone="ok">{t('devices.here')}</Badge>}
        </p>
        <p className="text-sm wrap-anywhere text-muted">
          {t('devices.from', { address: device.address })} · {t(`devices.by.${device.way}`)}
        </p>
        <p className="tabular text-xs text-muted">
          {t('devices.used')}: <TimeStamp at={device.last_used_at} />
        </p>
      </div>
      {!device.is_here && (
        <Button small aria-label={t('devices.end.of', { device: name })} onClick={() => void end()}>
          {t('devices.end')}
        </Button>
      )}
    </li>
  )
}
