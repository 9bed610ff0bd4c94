import { useT, useWords, wordbook } from '@/i18n'
import { openReplay } from '@/lib/addresses'
import { hostOf, pictureUrl } from '@/lib/url'
import { useSessionId } from '@/session/sessionId'
import { shotsOf, stepNumber } from '@/session/shots'
import { toolWords } from '@/session/toolWords'
import type { ToolRow } from '@/stream/rows'
import { useLive, useSessionStore } from '@/stream/store'

const words = wordbook('screenshotThumb', { 'thumb.alt': 'Screenshot after step {n}: {what}' })

/** A small picture in a fixed 16:10 box, so that nothing moves when it arrives. */
export function ScreenshotThumb({ row }: { row: ToolRow }) {
  const t = useT()
  const tell = useWords(words)
  const sessionId = useSessionId()
  const store = useSessionStore()
  const number = useLive((state) => stepNumber(state.ids, state.rows, row.id))
  const address = pictureUrl(row.screenshot, 320)
  if (!address) return null
  const open = () => {
    const { ids, rows } = store.getState()
    const index = shotsOf(ids, rows).findIndex((shot) => shot.id === row.id)
    openReplay(sessionId, Math.max(0, index) + 1)
  }
  const { verb, name, object } = toolWords(row, t)
  const done = [verb ? t(verb) : name, object].filter(Boolean).join(' ')
  const host = hostOf(row.url)
  const label = tell('thumb.alt', { n: number, what: host && host !== object ? `${done} – ${host}` : done })
  return (
    <button
      type="button"
      onClick={open}
      aria-label={t('shot.open', { what: label })}
      className="my-1 block aspect-[16/10] w-[76px] shrink-0 overflow-hidden rounded-sm border border-line bg-s2 hover:border-strong"
    >
      <img
        src={address}
        alt={label}
        loading="lazy"
        decoding="async"
        className="size-full object-cover object-top"
      />
    </button>
  )
}
