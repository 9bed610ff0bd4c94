import { isOfInputMethod } from '@/lib/keys'
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { useT } from '@/i18n'
import { excessOf } from '@/lib/bytes'
import { cx } from '@/lib/cx'
import { isTouch } from '@/lib/media'
import { useDraft } from './messageDraft'

interface Props {
  sessionId: string | null
  placeholder: string
  label: string
  onSend: (text: string) => void
  /** Esc in the empty or filled box. */
  onEscape?: () => void
  /** Of the message in UTF-8. */
  maxBytes?: number
  /** Text that takes the place of what is typed, to be changed or sent. */
  filled?: { text: string } | null
  above?: ReactNode
  /** Left and right of the line below the text. */
  tools: ReactNode
  actions: (state: { isEmpty: boolean; isTooLong: boolean; submit: () => void }) => ReactNode
}

export function Composer({
  sessionId,
  placeholder,
  label,
  onSend,
  onEscape,
  maxBytes,
  filled,
  above,
  tools,
  actions,
}: Props) {
  const [text, setText] = useDraft(sessionId)
  const box = useRef<HTMLTextAreaElement>(null)
  useGrowth(box, text)
  useEffect(() => {
    if (!isTouch()) box.current?.focus()
  }, [sessionId])
  useEffect(() => {
    if (!filled) return
    setText(filled.text)
    box.current?.focus()
  }, [filled, setText])

  const t = useT()
  const isEmpty = text.trim() === ''
  const excess = maxBytes === undefined ? 0 : excessOf(text.trim(), maxBytes)
  const isTooLong = excess > 0
  const submit = () => {
    if (isEmpty || isTooLong) return
    onSend(text.trim())
    setText('')
    box.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isOfInputMethod(event)) return
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      submit()
    } else if (event.key === 'Escape') onEscape?.()
  }
  return (
    <div
      className={cx(
        '@container rounded-xl border border-strong bg-bg focus-within:border-accent',
        'focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-accent',
      )}
    >
      {above}
      <textarea
        dir="auto"
        ref={box}
        id="composer"
        rows={1}
        value={text}
        aria-invalid={isTooLong || undefined}
        aria-describedby={isTooLong ? 'composer-too-long' : undefined}
        aria-label={label}
        placeholder={placeholder}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        className="block w-full resize-none bg-transparent px-4 pt-3 pb-1 text-base leading-6 outline-none placeholder:text-faint"
      />
      {isTooLong && (
        <p id="composer-too-long" role="alert" className="px-4 pb-1 text-sm text-danger">
          {t('composer.tooLong', { n: excess })}
        </p>
      )}
      <div className="flex items-center justify-between gap-2 px-2 pb-2">
        <div className="flex min-w-0 items-center gap-0.5">{tools}</div>
        <div className="flex shrink-0 items-center gap-1">{actions({ isEmpty, isTooLong, submit })}</div>
      </div>
    </div>
  )
}

const LINE = 24
const MAX_LINES = 8
const PADDING = 16
/** Characters; more fill all lines in any window, and are not measured at each key. */
const LONG = 4000

/** One to eight lines, then it scrolls. */
function useGrowth(box: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const area = box.current
    if (!area) return
    const limit = LINE * MAX_LINES + PADDING
    if (text.length > LONG) {
      area.style.height = `${limit}px`
      area.style.overflowY = 'auto'
      return
    }
    area.style.height = 'auto'
    area.style.height = `${Math.min(area.scrollHeight, limit)}px`
    area.style.overflowY = area.scrollHeight > limit ? 'auto' : 'hidden'
  }, [box, text])
}
