import { Check, ClipboardPaste, Hand, Keyboard, List, Maximize, MessageSquareReply } from 'lucide-react'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { useWords } from '@/i18n'
import { inLanguage } from '@/i18n/sentences'
import { leaveTakeover } from '@/lib/addresses'
import { copyText } from '@/lib/copy'
import { fitted } from '@/lib/fit'
import { useIsPhone, useIsWide } from '@/lib/media'
import { useSessionId } from '@/session/sessionId'
import { Button } from '@/ui/Button'
import { Sheet } from '@/ui/Dialog'
import { IconButton } from '@/ui/IconButton'
import { Kbd } from '@/ui/Kbd'
import { toast } from '@/ui/Toasts'
import { AddressBar } from './AddressBar'
import { ElementsList } from './ElementsList'
import { FieldPicker } from './FieldPicker'
import { HandBackDialog } from './HandBackDialog'
import { RELEASE_KEY } from './input'
import { LiveBadge } from './LiveBadge'
import { type LiveView, liveViewOf, useLiveState, useWatch } from './liveView'
import { PageControls, PagePicture } from './PageScreen'
import { PageTabs } from './PageTabs'
import { PasteDialog } from './PasteDialog'
import { words } from './takeoverWords'
import { Zoomable } from './Zoomable'

type Open = 'done' | 'paste' | 'elements' | null

interface Props {
  /** This device has the browser by a link: it has no chat to go back to, and nothing else of the session. */
  isGuest?: boolean
}

/** What was copied in the page, put on this device's clipboard. */
function useCopied(
  view: LiveView,
  t: (key: 'takeover.copied' | 'takeover.copy.failed', values: { text: string }) => string,
) {
  const copied = useLiveState(view, (state) => state.copied)
  const shown = useRef(copied)
  useEffect(() => {
    if (!copied || copied === shown.current) return
    shown.current = copied
    void copyText(copied.text).then((isDone) =>
      toast(t(isDone ? 'takeover.copied' : 'takeover.copy.failed', { text: copied.text.slice(0, 200) })),
    )
  }, [copied, t])
}

/** The page in place of the chat: the agent waits, and what is done here goes to the browser. */
export default function Takeover({ isGuest = false }: Props) {
  const t = useWords(words)
  const sessionId = useSessionId()
  const view = useMemo(() => liveViewOf(sessionId), [sessionId])
  const isMine = useLiveState(view, (state) => state.holder === 'me')
  const isFree = useLiveState(view, (state) => state.link === 'open' && state.holder === 'none')
  const isWide = useIsWide()
  const isPhone = useIsPhone()
  const [open, setOpen] = useState<Open>(null)
  const [isFitted, setFitted] = useState(false)
  const keys = useRef<HTMLTextAreaElement>(null)
  const stage = useRef<HTMLDivElement>(null)
  const done = useRef<HTMLButtonElement>(null)
  useWatch(view, true)
  useCopied(view, t)
  useEffect(() => {
    if (!isGuest) view.take()
  }, [view, isGuest])

  const close = () => {
    setOpen(null)
    keys.current?.focus()
  }
  const toggleFit = () => {
    setFitted(!isFitted)
    const { clientWidth, clientHeight } = stage.current!
    view.fit(isFitted ? null : [clientWidth, clientHeight])
  }
  const elements = <ElementsList view={view} {...(isWide ? {} : { onClose: close })} />
  const tools = isMine && (
    <Tools
      isFitted={isFitted}
      isListed={open === 'elements'}
      onKeyboard={() => keys.current?.focus()}
      onPaste={() => setOpen('paste')}
      onElements={() => setOpen(open === 'elements' ? null : 'elements')}
      onFit={toggleFit}
    />
  )
  return (
    <section aria-label={t('takeover.title')} className="flex h-full flex-col bg-bg">
      <header className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-2 py-1.5 md:h-12 md:flex-nowrap md:py-0">
        {!isGuest && (
          <IconButton label={t('takeover.leave')} onClick={() => leaveTakeover(sessionId)}>
            <MessageSquareReply size={17} aria-hidden />
          </IconButton>
        )}
        <LiveBadge view={view} isDriven />
        <div className="order-last flex w-full min-w-0 md:order-none md:w-auto md:flex-1">
          <AddressBar view={view} isMine={isMine} />
        </div>
        <span className="flex-1 md:hidden" />
        {!isPhone && tools}
        {isMine && (
          <Button ref={done} tone="primary" onClick={() => setOpen('done')}>
            <Check size={15} aria-hidden />
            {t('takeover.done')}
          </Button>
        )}
        {isFree && (
          <Button tone="primary" onClick={() => view.take()}>
            <Hand size={15} aria-hidden />
            {t('takeover')}
          </Button>
        )}
      </header>
      <PageTabs view={view} isMine={isMine} />
      <Fault view={view} />
      <div className="flex min-h-0 flex-1">
        <Stage view={view} stage={stage} keys={keys} onRelease={() => done.current?.focus()} />
        {isMine && isWide && open === 'elements' && (
          <aside className="w-80 shrink-0 border-l border-line">{elements}</aside>
        )}
      </div>
      <footer className="flex shrink-0 flex-wrap items-center gap-x-4 border-t border-line px-3 py-1.5 pb-[max(6px,env(safe-area-inset-bottom))] text-xs text-muted">
        {isPhone && tools && <div className="flex w-full justify-center">{tools}</div>}
        <span className="min-w-0 flex-1">{t('takeover.privacy')}</span>
        <span id="release-key" className="hidden shrink-0 items-center gap-1.5 md:flex">
          {t('takeover.keys')} <Kbd keys={RELEASE_KEY} />
        </span>
      </footer>
      <HandBackDialog view={view} isGuest={isGuest} open={open === 'done'} onClose={close} />
      <PasteDialog view={view} open={open === 'paste'} onClose={close} />
      {!isWide && (
        <Sheet open={isMine && open === 'elements'} onClose={close} label={t('elements')} side="bottom">
          {elements}
        </Sheet>
      )}
    </section>
  )
}

interface StageProps {
  view: LiveView
  stage: RefObject<HTMLDivElement | null>
  keys: RefObject<HTMLTextAreaElement | null>
  onRelease: () => void
}

function Stage({ view, stage, keys, onRelease }: StageProps) {
  const t = useWords(words)
  const [width, height] = useLiveState(view, (state) => state.viewport)
  const isMine = useLiveState(view, (state) => state.holder === 'me')
  const isClosed = useLiveState(view, (state) => state.browser === 'closed')
  const hasFrame = useLiveState(view, (state) => state.hasFrame)
  const place = useLiveState(view, (state) => state.queue_place)
  const isShown = hasFrame && !isClosed
  return (
    <div ref={stage} className="relative flex min-w-0 flex-1 bg-s2 p-1.5 [container-type:size] md:p-3">
      {!isShown && (
        <p
          role="status"
          className="absolute inset-0 m-auto h-fit max-w-80 p-4 text-center text-sm text-muted"
        >
          {place ? t('run.queued.place', { n: place }) : isClosed ? t('live.closed.about') : t('live.wait')}
        </p>
      )}
      <Zoomable
        isTwoFingered
        className={isShown ? 'relative m-auto' : 'invisible absolute'}
        style={fitted(width, height)}
      >
        <PagePicture view={view} />
        {isMine && isShown && <PageControls view={view} keys={keys} onRelease={onRelease} />}
      </Zoomable>
      {isMine && isShown && <FieldPicker view={view} keys={keys} />}
    </div>
  )
}

interface ToolsProps {
  isFitted: boolean
  isListed: boolean
  onKeyboard: () => void
  onPaste: () => void
  onElements: () => void
  onFit: () => void
}

function Tools({ isFitted, isListed, onKeyboard, onPaste, onElements, onFit }: ToolsProps) {
  const t = useWords(words)
  return (
    <div className="flex shrink-0 items-center">
      <span className="pointer-fine:hidden">
        <IconButton label={t('keys.show')} onClick={onKeyboard}>
          <Keyboard size={17} aria-hidden />
        </IconButton>
      </span>
      <IconButton label={t('paste')} onClick={onPaste}>
        <ClipboardPaste size={16} aria-hidden />
      </IconButton>
      <IconButton label={t('page.fit')} aria-pressed={isFitted} onClick={onFit}>
        <Maximize size={16} aria-hidden />
      </IconButton>
      <IconButton label={t('elements')} aria-pressed={isListed} onClick={onElements}>
        <List size={17} aria-hidden />
      </IconButton>
    </div>
  )
}

function Fault({ view }: { view: LiveView }) {
  const t = useWords(words)
  const fault = useLiveState(view, (state) => state.fault)
  const isHeldByOther = useLiveState(view, (state) => state.holder === 'other')
  if (!fault && !isHeldByOther) return null
  return (
    <div role="alert" className="flex shrink-0 items-center gap-3 bg-warn-soft px-3 py-1.5 text-sm text-warn">
      <span className="min-w-0 flex-1">
        {isHeldByOther ? t('takeover.fault.held') : fault && inLanguage(fault.message, fault.message_parts)}
      </span>
      {isHeldByOther && (
        <Button small onClick={() => view.take()}>
          {t('takeover.again')}
        </Button>
      )}
    </div>
  )
}
