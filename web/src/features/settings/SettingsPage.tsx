import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import type { Settings } from '@/api/types'
import { useWords } from '@/i18n'
import { type SettingsTab, SETTINGS_TABS } from '@/lib/addresses'
import { useTitle } from '@/lib/title'
import { Button } from '@/ui/Button'
import { SidebarButton } from '@/ui/SidebarButton'
import { Spinner } from '@/ui/Spinner'
import { Tabs } from '@/ui/Tabs'
import { AboutTab } from './AboutTab'
import { AppearanceTab } from './AppearanceTab'
import { BrowserTab } from './BrowserTab'
import { ChannelsTab } from './ChannelsTab'
import { DataTab } from './DataTab'
import { DevicesTab } from './DevicesTab'
import { LimitsTab } from './LimitsTab'
import { LoginsTab } from './LoginsTab'
import { ModelsTab } from './ModelsTab'
import { PlaceForm } from './PlaceForm'
import { ToolsTab } from './ToolsTab'
import { useLeaveGuard, useSettings } from './settingsDraft'
import { words } from './settingsWords'

export default function SettingsPage({ tab }: { tab?: string }) {
  const t = useWords(words)
  const [, go] = useLocation()
  const current = SETTINGS_TABS.find((known) => known === tab) ?? 'models'
  useTitle(`${t('settings')} – Pilothouse`, 'none')
  useLeaveGuard()
  const tabs = SETTINGS_TABS.map((id) => ({
    id,
    label: t(`settings.${id}`),
    content: () => <div className="mx-auto flex max-w-[720px] flex-col gap-8 px-4 py-6">{CONTENT[id]()}</div>,
  }))
  return (
    <div className="flex h-full flex-col">
      <header className="flex h-12 shrink-0 items-center gap-2 px-2 md:px-4">
        <SidebarButton />
        <h1 className="font-medium">{t('settings')}</h1>
      </header>
      <Tabs tabs={tabs} value={current} onChange={(id) => go(`/settings/${id}`)} label={t('settings')} />
    </div>
  )
}

const CONTENT: Record<SettingsTab, () => ReactNode> = {
  models: () => <Loaded>{(settings) => <ModelsTab settings={settings} />}</Loaded>,
  limits: () => <Loaded>{(settings) => <LimitsTab settings={settings} />}</Loaded>,
  browser: () => <Loaded>{(settings) => <BrowserTab settings={settings} />}</Loaded>,
  tools: () => <ToolsTab />,
  logins: () => <LoginsTab />,
  notifications: () => <ChannelsTab />,
  appearance: () => (
    <AppearanceTab place={<Loaded>{(settings) => <PlaceForm settings={settings} />}</Loaded>} />
  ),
  devices: () => <DevicesTab />,
  data: () => <Loaded>{(settings) => <DataTab settings={settings} />}</Loaded>,
  about: () => <AboutTab />,
}

function Loaded({ children }: { children: (settings: Settings) => ReactNode }) {
  const t = useWords(words)
  const { data, isError, refetch } = useSettings()
  if (data) return children(data)
  if (!isError) return <Spinner className="text-muted" />
  return (
    <div role="alert" className="flex flex-col items-start gap-3">
      <p className="text-sm">{t('settings.failed')}</p>
      <Button onClick={() => void refetch()}>{t('retry')}</Button>
    </div>
  )
}
