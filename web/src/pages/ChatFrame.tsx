import type { ReactNode } from 'react'
import { useT } from '@/i18n'
import { useFrame } from '@/lib/frame'
import { usePrefs } from '@/lib/prefs'
import { Sheet } from '@/ui/Dialog'
import { Resizer } from './Resizer'
import { SidePanel } from './SidePanel'

/** The feed with the panel beside it, or below it in narrow windows. */
export function ChatFrame({ children }: { children: ReactNode }) {
  const t = useT()
  const { panel } = useFrame()
  const width = usePrefs((prefs) => prefs.panelWidth)
  return (
    <div className="flex h-full min-h-0">
      <div className="flex min-w-0 flex-1 flex-col">{children}</div>
      {panel.isSheet ? (
        <Sheet open={panel.isOpen} onClose={panel.toggle} label={t('panel')} side="bottom">
          <SidePanel onHide={panel.toggle} />
        </Sheet>
      ) : (
        panel.isOpen && (
          <>
            <Resizer />
            <aside
              aria-label={t('panel')}
              className="flex shrink-0 flex-col border-l border-line"
              style={{ width }}
            >
              <SidePanel onHide={panel.toggle} />
            </aside>
          </>
        )
      )}
    </div>
  )
}
