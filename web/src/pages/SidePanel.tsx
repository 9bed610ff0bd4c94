import { PanelRight } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useKnownSession } from '@/api/queries'
import { FactsPanel } from '@/features/plan/FactsPanel'
import { PlanPanel } from '@/features/plan/PlanPanel'
import { planSteps } from '@/features/plan/steps'
import { useWork } from '@/features/plan/usePlan'
import { useT } from '@/i18n'
import { useFrame } from '@/lib/frame'
import { useDownloadCount } from '@/session/downloads'
import { choosePanelTab, type PanelTab, usePanelTab } from '@/session/panelTab'
import { useSessionId } from '@/session/sessionId'
import { useLive } from '@/stream/store'
import { IconButton } from '@/ui/IconButton'
import { Tabs, type TabSpec } from '@/ui/Tabs'
import { LayoutMenu } from './LayoutMenu'

export const loadStage = () => import('@/features/takeover/BrowserStage')
const BrowserStage = lazy(loadStage)
const FilesPanel = lazy(() => import('@/features/files/FilesPanel'))

/** The tabs next to the feed; without those that this agent never fills. */
function useTabs(): TabSpec[] {
  const t = useT()
  const work = useWork()
  const steps = planSteps(work, false)
  const done = steps.filter((step) => step.status === 'done').length
  const session = useKnownSession(useSessionId())
  const agent = useLive((state) => state.run?.agent) ?? session?.agent
  const downloaded = useDownloadCount()
  const isPlanning = agent !== 'assistant' // which makes no plan and records no facts
  const plan = {
    id: 'plan',
    label: t('plan'),
    badge: count(steps.length > 0 && `${done}/${steps.length}`),
    content: () => <PlanPanel />,
  }
  const facts = {
    id: 'facts',
    label: t('facts'),
    badge: count(work.facts.length),
    content: () => <FactsPanel />,
  }
  return [
    ...(isPlanning || steps.length > 0 || work.goal ? [plan] : []),
    ...(isPlanning || work.facts.length > 0 ? [facts] : []),
    {
      id: 'browser',
      label: t('browser'),
      content: () => (
        <Suspense>
          <BrowserStage />
        </Suspense>
      ),
    },
    {
      id: 'files',
      label: t('files'),
      badge: count(downloaded),
      content: () => (
        <Suspense>
          <FilesPanel />
        </Suspense>
      ),
    },
  ]
}

const count = (value: string | number | false) =>
  value ? <span className="tabular text-2xs text-faint">{value}</span> : undefined

/** `isStaged`: the browser is above the tabs, and is none of them. */
export function SidePanel({ isStaged }: { isStaged: boolean }) {
  const t = useT()
  const { panel } = useFrame()
  const tabs = useTabs().filter(({ id }) => id !== 'browser' || !isStaged)
  const sessionId = useSessionId()
  const panelTab = usePanelTab(sessionId)
  const value = tabs.some((tab) => tab.id === panelTab) ? panelTab : (tabs[0]?.id ?? '')
  return (
    <>
      {isStaged && (
        <div className="max-h-[70%] shrink-0 overflow-y-auto border-b border-line">
          <Suspense>
            <BrowserStage />
          </Suspense>
        </div>
      )}
      <Tabs
        tabs={tabs}
        value={value}
        onChange={(id) => choosePanelTab(sessionId, id as PanelTab)}
        label={t('panel')}
        trailing={
          panel.isSheet ? (
            <IconButton label={t('panel.hide')} keys="mod+j" onClick={panel.toggle}>
              <PanelRight size={17} aria-hidden />
            </IconButton>
          ) : (
            <LayoutMenu />
          )
        }
      />
    </>
  )
}
