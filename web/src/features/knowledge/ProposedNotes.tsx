import { api } from '@/api/client'
import type { Note } from '@/api/types'
import { useWords } from '@/i18n'
import { cx } from '@/lib/cx'
import { Button } from '@/ui/Button'
import { words } from './knowledgeWords'
import { changeNotes, forgetNote, useNotes } from './notesQuery'

interface Props {
  /** Only what this session has proposed. */
  sessionId?: string
  className?: string
}

/** What waits to be kept or dropped, each by one tap. Nothing is shown where nothing waits. */
export function ProposedNotes({ sessionId, className }: Props) {
  const t = useWords(words)
  const items = (useNotes().data?.items ?? []).filter(
    (note) => note.confirmed_at === null && (!sessionId || note.session_id === sessionId),
  )
  if (items.length === 0) return null
  return (
    <section
      aria-label={t('knowledge.proposed')}
      className={cx('max-h-48 overflow-y-auto rounded-lg border border-line bg-s1 px-3 py-1', className)}
    >
      <ul>
        {items.map((note) => (
          <Proposed key={note.id} note={note} />
        ))}
      </ul>
    </section>
  )
}

function Proposed({ note }: { note: Note }) {
  const t = useWords(words)
  const keep = () => changeNotes(() => api.changeNote(note.id, { kept: true }))
  const drop = () => {
    forgetNote(note.id)
    return changeNotes(() => api.removeNote(note.id))
  }
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1.5 py-2" data-note={note.id}>
      <div className="min-w-40 flex-1">
        <p className="text-xs text-muted">{t('knowledge.proposed.for', { site: note.site })}</p>
        <p dir="auto" className="text-sm wrap-anywhere">
          {note.text}
        </p>
      </div>
      <div className="flex gap-2">
        <Button small aria-label={t('knowledge.keep.what', { text: note.text })} onClick={() => void keep()}>
          {t('knowledge.keep')}
        </Button>
        <Button
          small
          tone="quiet"
          aria-label={t('knowledge.drop.what', { text: note.text })}
          onClick={() => void drop()}
        >
          {t('knowledge.drop')}
        </Button>
      </div>
    </li>
  )
}
