import { MessageSquare } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { useT, useWords, wordbook } from '@/i18n'
import { cx } from '@/lib/cx'
import { useFrame } from '@/lib/frame'
import { loadAhead } from '@/lib/loadAhead'
import { usePrefs } from '@/lib/prefs'
import { isOpen } from '@/stream/live'
import { usePanelTab } from '@/session/panelTab'
import { useSessionId } from '@/session/sessionId'
import { StageShownProvider } from '@/session/stageShown'
import { type SessionState, useLive } from '@/stream/store'
import { Sheet } from '@/ui/Dialog'
import { IconButton } from '@/ui/IconButton'
import { Resizer } from './Resizer'
import { loadStage, SidePanel } from './SidePanel'

const loadSheet = () => import('@/features/takeover/StageSheet')
const StageSheet = lazy(loadSheet)

const words = wordbook('chatFrame', {
  'stage.resize': 'Width of the browser',
  'stage.chat.show': 'Show the chat',
})

interface Props {
  children: ReactNode
  composer: ReactNode
}

/** The feed with the panel next to it, or in narrow windows with the browser above the composer. */
export function ChatFrame({ children, composer }: Props) {
  const t = useT()
  const { panel } = useFrame()
  const isStaged = useIsStaged()
  const panelTab = usePanelTab(useSessionId())
  const isLarge = !panel.isSheet && panel.isOpen && (isStaged || panelTab === 'browser')
  // A question is answered in the chat.
  const isAsked = useLive((state) => state.pending !== null)
  const isStrip = usePrefs((prefs) => prefs.chatStrip) && isLarge && !isAsked
  return (
    <div className="flex h-full min-h-0">
      {isStrip && <ChatStrip />}
      <div className={cx('flex min-w-0 flex-1 flex-col', isStrip && 'hidden')}>
        {children}
        {panel.isSheet && isStaged && (
          <Suspense>
            <StageSheet isAsked={isAsked} />
          </Suspense>
        )}
        <StageShownProvider value={panel.isSheet ? isStaged : isLarge}>{composer}</StageShownProvider>
      </div>
      {panel.isSheet ? (
        <Sheet open={panel.isOpen} onClose={panel.toggle} label={t('panel')} side="bottom">
          <SidePanel isStaged={false} />
        </Sheet>
      ) : (
        panel.isOpen && <Panel isLarge={isLarge} isStrip={isStrip} isStaged={isStaged} />
      )}
    </div>
  )
}

const PANEL = { min: 300, max: 640, step: 24 }
/** Percent; what leaves the chat less is a strip. */
const SHARE = { min: 30, max: 78, step: 4 }
const STRIP = SHARE.max + SHARE.step

interface PanelProps {
  isLarge: boolean
  isStrip: boolean
  isStaged: boolean
}

function Panel({ isLarge, isStrip, isStaged }: PanelProps) {
  const t = useWords(words)
  const { panelWidth, stageShare, set } = usePrefs()
  const aside = useRef<HTMLElement>(null)
  const shareAt = (clientX: number) => {
    const { left, width } = aside.current!.parentElement!.getBoundingClientRect()
    return (100 * (left + width - clientX)) / width
  }
  const share = (value: number) =>
    set(value > SHARE.max ? { chatStrip: true } : { chatStrip: false, stageShare: value })
  return (
    <>
      {isLarge ? (
        <Resizer
          key="stage"
          label={t('stage.resize')}
          {...SHARE}
          max={STRIP}
          value={isStrip ? STRIP : stageShare}
          valueAt={shareAt}
          onChange={share}
        />
      ) : (
        <Resizer
          key="panel"
          label={t('panel.resize')}
          {...PANEL}
          value={panelWidth}
          valueAt={(clientX) => innerWidth - clientX}
          onChange={(width) => set({ panelWidth: width })}
        />
      )}
      <aside
        ref={aside}
        aria-label={t('panel')}
        className={cx(
          'flex min-h-0 flex-col border-l border-line print:hidden',
          isStrip ? 'min-w-0 flex-1' : 'shrink-0',
        )}
        style={isStrip ? undefined : { width: isLarge ? `${stageShare}%` : panelWidth }}
      >
        <SidePanel isStaged={isStaged} />
      </aside>
    </>
  )
}

/** What is left of the chat when the browser has the page. */
function ChatStrip() {
  const t = useWords(words)
  const set = usePrefs((prefs) => prefs.set)
  return (
    <div className="flex w-11 shrink-0 flex-col items-center pt-2">
      <IconButton label={t('stage.chat.show')} onClick={() => set({ chatStrip: false })}>
        <MessageSquare size={17} aria-hidden />
      </IconButton>
    </div>
  )
}

/** A run of this session uses the browser, or has used it while this page was open; in wide windows also if there is a
 *  picture of it, so that the columns stay as they were. */
function useIsStaged(): boolean {
  const isUsed = useLive(usesBrowser)
  const isRunning = useLive(({ run }) => isOpen(run))
  const { isSheet } = useFrame().panel
  // The code is there before the browser is.
  useEffect(() => {
    if (isRunning) loadAhead(isSheet ? loadSheet : loadStage)
  }, [isRunning, isSheet])
  const [wasUsed, setUsed] = useState(isUsed)
  if (isUsed && !wasUsed) setUsed(true)
  const isPictured = useLive(hasPicture)
  return wasUsed || (isPictured && !isSheet)
}

const hasPicture = ({ ids, rows }: SessionState): boolean =>
  ids.some((id) => rows[id]?.kind === 'tool' && rows[id].screenshot)

const ELSEWHERE = new Set(['read_file', 'record'])

const usesBrowser = ({ ids, rows, run }: SessionState): boolean =>
  isOpen(run) && ids.some((id) => rows[id]?.kind === 'tool' && !ELSEWHERE.has(rows[id].name))
