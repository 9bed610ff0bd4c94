import { lazy, Suspense } from 'react'
import { useRoute } from 'wouter'
import { useShortcuts } from '@/lib/keys'
import { useOverlay } from '@/lib/overlay'

const CommandMenu = lazy(() => import('@/features/search/CommandMenu'))
const ShortcutsDialog = lazy(() => import('@/features/search/ShortcutsDialog'))
const GrantsDialog = lazy(() => import('@/features/grants/GrantsDialog'))

/** The dialogs that can be called from every page, and their keys. */
export function Overlays() {
  const { open, show, close } = useOverlay()
  const [, session] = useRoute('/s/:id/*?')
  useShortcuts({ 'mod+k': () => show('search'), '?': () => show('shortcuts') })
  return (
    <Suspense>
      {open === 'search' && <CommandMenu sessionId={session?.id ?? null} onClose={close} />}
      {open === 'shortcuts' && <ShortcutsDialog onClose={close} />}
      {open === 'grants' && session && <GrantsDialog sessionId={session.id} onClose={close} />}
    </Suspense>
  )
}
