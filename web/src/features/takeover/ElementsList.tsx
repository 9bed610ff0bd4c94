import { RotateCw, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useWords } from '@/i18n'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { INPUT } from '@/ui/Field'
import { IconButton } from '@/ui/IconButton'
import { type LiveView, useLiveState } from './liveView'
import type { PageElement } from './protocol'
import { roleWords } from '@/session/roleWords'
import { words } from './takeoverWords'

/** The page as a list, for those who do not see the picture or use no pointer. */
export function ElementsList({ view, onClose }: { view: LiveView; onClose?: () => void }) {
  const t = useWords(words)
  const elements = useLiveState(view, (state) => state.elements)
  const isLoading = useLiveState(view, (state) => state.isListLoading)
  const url = useLiveState(view, (state) => state.url)
  const wordOf = useRoles()
  const [filter, setFilter] = useState('')
  useEffect(() => view.send({ type: 'elements' }), [view, url])
  const wanted = filter.trim().toLowerCase()
  const shown =
    elements?.filter(({ role, name }) => `${role} ${wordOf(role)} ${name}`.toLowerCase().includes(wanted)) ??
    []
  return (
    <section aria-label={t('elements')} className="flex h-full min-h-0 flex-col bg-bg">
      <div className="flex shrink-0 gap-1 p-2">
        <input
          type="search"
          aria-label={t('elements.filter')}
          placeholder={t('elements.filter')}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          className={`${INPUT} touch min-w-0 flex-1`}
        />
        <IconButton label={t('elements.refresh')} onClick={() => view.send({ type: 'elements' })}>
          <RotateCw size={16} aria-hidden />
        </IconButton>
        {onClose && (
          <IconButton label={t('close')} onClick={onClose}>
            <X size={16} aria-hidden />
          </IconButton>
        )}
      </div>
      {elements && (isLoading || shown.length === 0) && (
        <p role="status" className="px-3 text-sm text-muted">
          {t(isLoading ? 'elements.loading' : 'elements.none')}
        </p>
      )}
      <ul className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        {shown.map((element) => (
          <li key={element.eid} className="border-b border-line py-1.5 last:border-0">
            <Element view={view} element={element} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The word for a role, or the role itself. */
const useRoles = () => useWords(roleWords) as (role: string) => string

const TYPED = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton'])

function Element({ view, element }: { view: LiveView; element: PageElement }) {
  const t = useWords(words)
  const name = element.name || t('elements.unnamed')
  const wordOf = useRoles()
  const click = () => {
    view.send({ type: 'click', eid: element.eid })
    view.send({ type: 'elements' })
  }
  return (
    <>
      <button
        type="button"
        onClick={click}
        className="touch flex min-h-8 w-full items-center gap-2 rounded-md px-1.5 text-start text-sm hover:bg-s2"
      >
        <span className="sr-only">{t('elements.click')} </span>
        <Badge>{wordOf(element.role)}</Badge> <span className="min-w-0 flex-1 truncate">{name}</span>
      </button>
      {TYPED.has(element.role) && <TypeInto view={view} element={element} name={name} />}
    </>
  )
}

const SECRET = /pass|pin\b|парол|пин-код/i

function TypeInto({ view, element, name }: { view: LiveView; element: PageElement; name: string }) {
  const t = useWords(words)
  const [text, setText] = useState('')
  const type = () => {
    view.send({ type: 'type', eid: element.eid, text })
    view.send({ type: 'elements' })
    setText('')
  }
  return (
    <form
      className="flex gap-1.5 px-1.5 pt-1"
      onSubmit={(event) => {
        event.preventDefault()
        type()
      }}
    >
      <input
        type={SECRET.test(element.name) ? 'password' : 'text'}
        autoComplete="off"
        aria-label={t('elements.text', { name })}
        placeholder={element.value ?? ''}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className={`${INPUT} touch h-8 min-w-0 flex-1`}
      />
      <Button type="submit" disabled={text === ''}>
        {t('elements.type')}
      </Button>
    </form>
  )
}
