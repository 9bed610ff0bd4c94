import { Dialog } from '@base-ui/react/dialog'
import { Search } from 'lucide-react'
import { lazy, Suspense, useCallback, useId, useRef, useState } from 'react'
import { useWords, wordbook } from '@/i18n'

export const loadCommandHits = () => import('./CommandHits')
const CommandHits = lazy(loadCommandHits)

const words = wordbook('commandMenu', {
  'menu.search': 'Search sessions, messages and commands',
  'menu.hint': 'Search or type a command…',
})

interface Props {
  sessionId: string | null
  onClose: () => void
}

/**
 * Sessions, messages and commands in one box. The box is part of the first load and has the focus as soon as it is
 * called, so that no key gets lost; what it finds comes as a chunk.
 */
export function CommandMenu({ sessionId, onClose }: Props) {
  const t = useWords(words)
  const listId = useId()
  const [query, setQuery] = useState('')
  const [activeId, setActiveId] = useState<string>()
  const [box, setBox] = useState<HTMLInputElement | null>(null)
  const [before] = useState(focusedElement)
  const hasActed = useRef(false)
  // Base UI would move the focus in the next animation frame: too late for who types on.
  const focusNow = useCallback((box: HTMLInputElement | null) => {
    box?.focus()
    setBox(box)
  }, [])
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="overlay fixed inset-0 z-30 bg-backdrop" />
        <Dialog.Popup
          finalFocus={() => !hasActed.current && before}
          className="overlay overlay-pop fixed inset-x-2 top-2 z-30 mx-auto flex max-h-[min(70dvh,560px)] max-w-xl flex-col overflow-hidden rounded-xl border border-line bg-bg shadow-lg shadow-backdrop/10 md:top-[12dvh]"
        >
          <Dialog.Title className="sr-only">{t('menu.search')}</Dialog.Title>
          <div className="relative shrink-0 border-b border-line">
            <Search
              size={17}
              aria-hidden
              className="pointer-events-none absolute top-3.5 left-4 text-faint"
            />
            <input
              ref={focusNow}
              role="combobox"
              aria-expanded
              aria-controls={listId}
              aria-activedescendant={activeId}
              aria-autocomplete="list"
              aria-label={t('menu.search')}
              placeholder={t('menu.hint')}
              spellCheck={false}
              value={query}
              onChange={(event) => setQuery(event.target.value)}
              className="h-12 w-full bg-transparent pr-4 pl-11 text-base outline-none placeholder:text-faint"
            />
          </div>
          <Suspense>
            <CommandHits
              {...{ listId, sessionId, query, box }}
              label={t('menu.search')}
              onActive={setActiveId}
              onChoose={(act) => {
                hasActed.current = true
                onClose()
                act()
              }}
            />
          </Suspense>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** Where the focus returns to: to the composer if it was nowhere. */
const focusedElement = () =>
  document.activeElement === document.body
    ? document.getElementById('composer')
    : (document.activeElement as HTMLElement | null)
