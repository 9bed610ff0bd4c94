import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { ConnectionBanner } from '@/features/connection/ConnectionBanner'
import { useDevice } from '@/features/connection/device'
import { usePresence } from '@/features/connection/presence'
import { useStream } from '@/features/connection/stream'
import { useOpenQuestionSign } from '@/features/connection/openQuestionSign'
import { SessionSidebar } from '@/features/sessions/SessionSidebar'
import { useT } from '@/i18n'
import { type Frame, FrameProvider } from '@/lib/frame'
import { useIsPhone, useIsWide } from '@/lib/media'
import { usePrefs } from '@/lib/prefs'
import { Overlays } from '@/Overlays'
import { Sheet } from '@/ui/Dialog'
import { usePageShortcuts } from './shortcuts'

/** Seen only while it has the focus. */
const SKIP =
  'print:hidden sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-bg focus:px-3 focus:py-2 focus:text-sm'
/** The start page and a session; a replay has none. */
const HAS_COMPOSER = /^\/(s\/[^/]+)?$/

/** Sidebar and page; the panel next to the feed belongs to the page but is opened from here. */
export function AppShell({ children }: { children: ReactNode }) {
  const t = useT()
  const frame = useFrameState()
  const [path] = useLocation()
  useStream()
  useOpenQuestionSign()
  usePresence()
  useDevice()
  usePageShortcuts(frame)
  return (
    <FrameProvider value={frame}>
      {HAS_COMPOSER.test(path) && (
        <a href="#composer" className={SKIP}>
          {t('skip.composer')}
        </a>
      )}
      <a href="#content" className={SKIP}>
        {t('skip.content')}
      </a>
      <div className="flex h-[var(--page-height,100dvh)] flex-col overflow-hidden">
        <ConnectionBanner />
        <div className="flex min-h-0 flex-1">
          <Sidebar frame={frame} />
          <main id="content" tabIndex={-1} className="min-w-0 flex-1 outline-none">
            {children}
          </main>
        </div>
      </div>
      <Overlays />
    </FrameProvider>
  )
}

function Sidebar({ frame: { sidebar } }: { frame: Frame }) {
  const t = useT()
  const content = <SessionSidebar onHide={sidebar.toggle} />
  if (sidebar.isSheet) {
    return (
      <Sheet open={sidebar.isOpen} onClose={sidebar.toggle} label={t('sessions')} side="left">
        {content}
      </Sheet>
    )
  }
  return (
    sidebar.isOpen && <div className="w-[272px] shrink-0 print:hidden border-r border-line">{content}</div>
  )
}

/** Next to the page where there is room, as it was left; elsewhere over the page, and closed. */
function useFrameState(): Frame {
  const isPhone = useIsPhone()
  const isWide = useIsWide()
  const { sidebar, panel, set } = usePrefs()
  const [sheet, setSheet] = useState<'sidebar' | 'panel' | null>(null)
  const [path] = useLocation()
  useEffect(() => setSheet(null), [path, isPhone, isWide])
  return useMemo(() => {
    const over = (name: 'sidebar' | 'panel') => ({
      isSheet: true,
      isOpen: sheet === name,
      toggle: () => setSheet(sheet === name ? null : name),
    })
    return {
      sidebar: isPhone
        ? over('sidebar')
        : { isSheet: false, isOpen: sidebar, toggle: () => set({ sidebar: !sidebar }) },
      panel: isWide ? { isSheet: false, isOpen: panel, toggle: () => set({ panel: !panel }) } : over('panel'),
    }
  }, [isPhone, isWide, sidebar, panel, sheet, set])
}
