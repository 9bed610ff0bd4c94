import {
  CalendarClock,
  CalendarPlus,
  CirclePause,
  CircleStop,
  FileCode2,
  FileJson2,
  FileText,
  Hand,
  History,
  Inbox,
  Keyboard,
  Languages,
  Lightbulb,
  LogOut,
  type LucideIcon,
  PanelLeft,
  PanelRight,
  Play,
  Settings,
  ShieldCheck,
  SquarePen,
  SunMoon,
} from 'lucide-react'
import { useLocation } from 'wouter'
import { api, downloads } from '@/api/client'
import { leave } from '@/api/leave'
import { speak, useWords } from '@/i18n'
import { openReplay, openTakeover, SETTINGS_TABS, TAKEOVER_KEYS } from '@/lib/addresses'
import { download } from '@/lib/download'
import { useFrame } from '@/lib/frame'
import { useOverlay } from '@/lib/overlay'
import { useScheduleDraft } from '@/lib/scheduleDraft'
import { type Lang, LANGUAGES, usePrefs } from '@/lib/prefs'
import { choosePanelTab, type PanelTab } from '@/session/panelTab'
import { repeat } from '@/session/repeat'
import { isOpen } from '@/stream/live'
import { storeOf } from '@/stream/store'
import { toast } from '@/ui/Toasts'
import { matches, patternsOf } from './match'
import { words } from './searchWords'

/** One line of the menu. */
export interface Hit {
  id: string
  group: string
  icon: LucideIcon
  label: string
  detail?: string
  keys?: string
  act: () => void
}

type Command = Omit<Hit, 'id' | 'group'>

/** Everything that can be done now by name. */
export function useCommands(sessionId: string | null, query: string): Hit[] {
  const t = useWords(words)
  const all = [...useRunCommands(sessionId), ...usePageCommands(), ...useSettingCommands(sessionId)]
  const patterns = patternsOf(query)
  const found = patterns.length === 0 ? all : all.filter(({ label }) => matches(label, patterns))
  return found.map((command) => ({ ...command, id: `command:${command.label}`, group: t('menu.commands') }))
}

function useRunCommands(sessionId: string | null): Command[] {
  const t = useWords(words)
  const show = useOverlay((state) => state.show)
  if (!sessionId) return []
  const run = storeOf(sessionId).getState().run
  const status = isOpen(run) ? run.status : null
  const call = (action: (id: string) => Promise<unknown>) => () =>
    void action(sessionId).catch((error: Error) => toast(error.message))
  const save = (format: 'md' | 'json' | 'html') => () => download(downloads.session(sessionId, format))
  return [
    { icon: Hand, label: t('takeover'), keys: TAKEOVER_KEYS, act: () => openTakeover(sessionId) },
    ...(status
      ? [{ icon: CircleStop, label: t('command.stop'), keys: 'escape', act: call(api.cancel) }]
      : []),
    ...(status === 'running'
      ? [{ icon: CirclePause, label: t('command.pause'), keys: 'mod+.', act: call(api.pause) }]
      : []),
    ...(status === 'paused'
      ? [{ icon: Play, label: t('command.resume'), keys: 'mod+.', act: call(api.resume) }]
      : []),
    { icon: History, label: t('replay'), act: () => openReplay(sessionId) },
    { icon: CalendarPlus, label: t('repeat'), act: () => repeat(sessionId) },
    { icon: ShieldCheck, label: t('grants.session'), act: () => show('grants') },
    { icon: FileText, label: t('export.md'), act: save('md') },
    { icon: FileJson2, label: t('export.json'), act: save('json') },
    { icon: FileCode2, label: t('export.html'), act: save('html') },
  ]
}

function usePageCommands(): Command[] {
  const t = useWords(words)
  const [, go] = useLocation()
  const frame = useFrame()
  const show = useOverlay((state) => state.show)
  const schedule = useScheduleDraft((state) => state.open)
  return [
    { icon: SquarePen, label: t('sessions.new'), keys: 'mod+shift+o', act: () => go('/') },
    { icon: Inbox, label: t('inbox'), act: () => go('/inbox') },
    { icon: CalendarClock, label: t('automations'), act: () => go('/automations') },
    { icon: Lightbulb, label: t('knowledge'), act: () => go('/knowledge') },
    { icon: ShieldCheck, label: t('grants'), act: () => go('/grants') },
    { icon: CalendarPlus, label: t('command.schedule'), act: () => schedule({}) },
    { icon: PanelLeft, label: t('command.sidebar'), keys: 'mod+b', act: frame.sidebar.toggle },
    { icon: PanelRight, label: t('command.panel'), keys: 'mod+j', act: frame.panel.toggle },
    { icon: Keyboard, label: t('settings.shortcuts'), keys: '?', act: () => show('shortcuts') },
    { icon: LogOut, label: t('logout'), act: () => void leave() },
  ]
}

function useSettingCommands(sessionId: string | null): Command[] {
  const t = useWords(words)
  const [, go] = useLocation()
  const { set } = usePrefs()
  const frame = useFrame()
  const openTab = (tab: PanelTab) => () => {
    if (sessionId) choosePanelTab(sessionId, tab)
    if (!frame.panel.isOpen) frame.panel.toggle()
  }
  const tabs = (['plan', 'facts', 'browser', 'files'] as const).map((tab) => ({
    icon: PanelRight,
    label: t('command.tab', { tab: t(tab) }),
    act: openTab(tab),
  }))
  const themes = (['system', 'light', 'dark'] as const).map((theme) => ({
    icon: SunMoon,
    label: t('command.theme', { theme: t(`theme.${theme}`) }),
    act: () => set({ theme }),
  }))
  const languages = Object.entries(LANGUAGES).map(([lang, language]) => ({
    icon: Languages,
    label: t('command.language', { language }),
    act: () => void speak(lang as Lang),
  }))
  const settings = SETTINGS_TABS.map((tab) => ({
    icon: Settings,
    label: t('command.settings', { tab: t(`settings.${tab}`) }),
    act: () => go(`/settings/${tab}`),
  }))
  return [...tabs, ...settings, ...themes, ...languages]
}
