import { ArrowLeft, Lock, LockOpen, RotateCw, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { useWords } from '@/i18n'
import { cx } from '@/lib/cx'
import { IconButton } from '@/ui/IconButton'
import { type LiveView, useLiveState } from './liveView'
import { words } from './takeoverWords'

const SIGNS = {
  secure: <Lock size={13} aria-hidden className="text-faint" />,
  plain: <LockOpen size={13} aria-hidden className="text-warn" />,
  error: <TriangleAlert size={13} aria-hidden className="text-danger" />,
}

/** Back, reload and the address, which can be changed while the browser is held. */
export function AddressBar({ view, isMine }: { view: LiveView; isMine: boolean }) {
  const t = useWords(words)
  const url = useLiveState(view, (state) => state.url)
  const security = useLiveState(view, (state) => state.security)
  const [draft, setDraft] = useState<string | null>(null)
  const sign = draft === null && security && security !== 'none' ? security : null
  const go = () => {
    if (draft?.trim()) view.send({ type: 'go', url: draft.trim() })
    setDraft(null)
  }
  return (
    <form
      className="flex min-w-0 flex-1 items-center gap-0.5"
      onSubmit={(event) => {
        event.preventDefault()
        go()
      }}
    >
      <IconButton label={t('page.back')} disabled={!isMine} onClick={() => view.send({ type: 'back' })}>
        <ArrowLeft size={17} aria-hidden />
      </IconButton>
      <IconButton label={t('page.reload')} disabled={!isMine} onClick={() => view.send({ type: 'reload' })}>
        <RotateCw size={16} aria-hidden />
      </IconButton>
      <div className="relative min-w-0 flex-1">
        {sign && (
          <span
            role="img"
            aria-label={t(`page.${sign}`)}
            title={t(`page.${sign}`)}
            className="absolute top-1/2 left-2.5 -translate-y-1/2"
          >
            {SIGNS[sign]}
          </span>
        )}
        <input
          aria-label={t('page.address')}
          readOnly={!isMine}
          placeholder={t('page.none')}
          inputMode="url"
          autoCapitalize="off"
          spellCheck={false}
          value={draft ?? url}
          onFocus={(event) => isMine && event.target.select()}
          onChange={(event) => setDraft(event.target.value)}
          onBlur={() => setDraft(null)}
          onKeyDown={(event) => event.key === 'Escape' && setDraft(null)}
          className={cx(
            'touch h-8 w-full rounded-full border border-line bg-s1 pr-3 text-xs read-only:text-muted',
            sign ? 'pl-7' : 'pl-3',
          )}
        />
      </div>
    </form>
  )
}
