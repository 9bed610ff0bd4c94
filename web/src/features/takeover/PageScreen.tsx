import { type RefObject, useEffect, useRef } from 'react'
import { useWords } from '@/i18n'
import { TargetOverlay } from '@/ui/TargetOverlay'
import { BLANK, useKeyboard } from './keyboard'
import { type LiveView, useLiveState } from './liveView'
import { usePointer } from './pointer'
import { words } from './takeoverWords'

/** The page as it is now, with the place the agent is about to touch. */
export function PagePicture({ view }: { view: LiveView }) {
  const t = useWords(words)
  const canvas = useRef<HTMLCanvasElement>(null)
  const title = useLiveState(view, (state) => state.title || state.url)
  const target = useLiveState(view, (state) => state.target)
  useEffect(() => (canvas.current ? view.show(canvas.current) : undefined), [view])
  return (
    <>
      <canvas
        ref={canvas}
        role="img"
        aria-label={t('live.picture', { page: title || t('page.none') })}
        className="block size-full"
      />
      {target && (
        <>
          <TargetOverlay box={target.box} />
          <span
            className="absolute max-w-[60%] truncate rounded-sm bg-danger px-1.5 text-2xs text-on-danger"
            style={{ left: `${target.box[0]}%`, top: `calc(${target.box[1] + target.box[3]}% + 6px)` }}
          >
            {target.label}
          </span>
        </>
      )}
    </>
  )
}

/** What a phone can show. `none` is left out: there is a button for the keyboard. */
const KEYBOARDS = ['text', 'tel', 'url', 'email', 'numeric', 'decimal', 'search'] as const

interface Props {
  view: LiveView
  /** The hidden box that takes the keys. */
  keys: RefObject<HTMLTextAreaElement | null>
  onRelease: () => void
}

/** What a person does over the picture, done to the page. */
export function PageControls({ view, keys, onRelease }: Props) {
  const t = useWords(words)
  const area = useRef<HTMLDivElement>(null)
  const pointer = usePointer(view, area)
  const keyboard = useKeyboard(view, onRelease)
  const mode = useLiveState(view, ({ field }) => KEYBOARDS.find((one) => one === field?.keyboard))
  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) keys.current?.focus()
  }, [keys])
  return (
    <>
      <textarea
        ref={keys}
        {...keyboard}
        inputMode={mode}
        aria-label={t('keys.page')}
        aria-describedby="release-key"
        defaultValue={BLANK}
        autoCapitalize="off"
        autoComplete="off"
        autoCorrect="off"
        spellCheck={false}
        className="peer absolute inset-0 size-full resize-none overflow-hidden bg-transparent text-base text-transparent caret-transparent outline-none selection:bg-transparent"
      />
      <div
        ref={area}
        {...pointer}
        data-page-controls
        onPointerDown={(event) => {
          pointer.onPointerDown(event)
          // A finger does not call the phone's keyboard; the button for it does.
          if (event.pointerType !== 'touch') keys.current?.focus()
        }}
        onMouseDown={(event) => event.preventDefault()}
        className="absolute inset-0 touch-none outline-2 outline-line peer-focus:outline-[3px] peer-focus:outline-focus"
      />
    </>
  )
}
