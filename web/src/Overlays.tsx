import { lazy, Suspense, useEffect } from 'react'
import { useRoute } from 'wouter'
import { CommandMenu, loadCommandHits } from '@/features/search/CommandMenu'
import { useScheduleDraft } from '@/lib/scheduleDraft'
import { useShortcuts } from '@/lib/keys'
import { loadAhead } from '@/lib/loadAhead'
import { useOverlay } from '@/lib/overlay'

const ShortcutsDialog = lazy(() => import('@/features/search/ShortcutsDialog'))
const AutomationForm = lazy(() => import('@/features/automations/AutomationForm'))
const ConnectDialog = lazy(() => import('@/features/connect/ConnectDialog'))
const GrantsDialog = lazy(() => import('@/features/grants/GrantsDialog'))

const HandoffDialog = lazy(() => import('@/features/handoff/HandoffDialog'))
const SessionInstructions = lazy(() => import('@/features/knowledge/SessionInstructions'))
const SurroundingsDialog = lazy(() => import('@/features/surroundings/SurroundingsDialog'))
const KeptSiteDialog = lazy(() => import('@/features/keptSites/KeptSiteDialog'))
const ReplayLinksDialog = lazy(() => import('@/features/export/ReplayLinksDialog'))

const IDLE = 300

/** The dialogs that can be called from every page, and their keys. */
export function Overlays() {
  const { open, provider, show, close } = useOverlay()
  const schedule = useScheduleDraft()
  const [, session] = useRoute('/s/:id/*?')
  useShortcuts({ 'mod+k': () => show('search'), '?': () => show('shortcuts') })
  useEffect(() => {
    const timer = setTimeout(() => loadAhead(loadCommandHits), IDLE)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Suspense>
      {schedule.draft && <AutomationForm draft={schedule.draft} onClose={schedule.close} />}
      {open === 'search' && <CommandMenu sessionId={session?.id ?? null} onClose={close} />}
      {open === 'connect' && (
        <ConnectDialog sessionId={session?.id ?? null} provider={provider} onClose={close} />
      )}
      {open === 'shortcuts' && <ShortcutsDialog onClose={close} />}
      {open === 'handoff' && session && <HandoffDialog sessionId={session.id} onClose={close} />}
      {open === 'instructions' && session && <SessionInstructions sessionId={session.id} onClose={close} />}
      {open === 'surroundings' && session && <SurroundingsDialog sessionId={session.id} onClose={close} />}
      {open === 'keptSites' && session && <KeptSiteDialog sessionId={session.id} onClose={close} />}
      {open === 'replays' && session && <ReplayLinksDialog sessionId={session.id} onClose={close} />}
      {open === 'grants' && session && <GrantsDialog sessionId={session.id} onClose={close} />}
    </Suspense>
  )
}
