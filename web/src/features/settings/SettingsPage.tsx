import { LogOut } from 'lucide-react'
import type { ReactNode } from 'react'
import { api } from '@/api/client'
import { queryClient, useConfig } from '@/api/queries'
import { SidebarButton } from '@/features/chat/ChatHeader'
import { speak, useT } from '@/i18n'
import { type Lang, type Theme, usePrefs } from '@/lib/prefs'
import { useTitle } from '@/lib/title'
import { Button } from '@/ui/Button'
import { Choice } from '@/ui/Choice'
import { Switch } from '@/ui/Switch'

export default function SettingsPage() {
  const t = useT()
  useTitle(`${t('settings')} – Pilothouse`, 'none')
  return (
    <div className="h-full overflow-y-auto">
      <header className="sticky top-0 z-10 flex h-12 items-center gap-2 border-b border-line bg-bg px-2 md:px-4">
        <SidebarButton />
        <h1 className="font-medium">{t('settings')}</h1>
      </header>
      <div className="mx-auto flex max-w-[720px] flex-col gap-8 px-4 py-6">
        <AppearanceSection />
        <AboutSection />
      </div>
    </div>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-4">
      <h2 className="text-lg font-bold">{title}</h2>
      {children}
    </section>
  )
}

function AppearanceSection() {
  const t = useT()
  const { theme, lang, shortcuts, sound, set } = usePrefs()
  const themes = (['system', 'light', 'dark'] as const).map((value) => ({ value, label: t(`theme.${value}`) }))
  const langs = [
    { value: 'en', label: 'English' },
    { value: 'ru', label: 'Русский' },
  ]
  return (
    <Section title={t('settings.appearance')}>
      <Choice label={t('theme')} options={themes} value={theme} onChange={(value) => set({ theme: value as Theme })} />
      <Choice label={t('language')} options={langs} value={lang} onChange={(value) => void speak(value as Lang)} />
      <Switch label={t('settings.shortcuts')} checked={shortcuts} onChange={(value) => set({ shortcuts: value })} />
      <Switch label={t('settings.sound')} checked={sound} onChange={(value) => set({ sound: value })} />
    </Section>
  )
}

function AboutSection() {
  const t = useT()
  const config = useConfig()
  const leave = async () => {
    await api.logout().catch(() => undefined)
    queryClient.clear()
    location.assign('/login')
  }
  return (
    <Section title={t('settings.about')}>
      <p className="text-sm text-muted">Pilothouse {config?.version}</p>
      <Button className="self-start" onClick={() => void leave()}>
        <LogOut size={15} aria-hidden />
        {t('logout')}
      </Button>
    </Section>
  )
}
