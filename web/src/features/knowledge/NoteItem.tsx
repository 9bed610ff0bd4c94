import { Pencil, Pin, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '@/api/client'
import type { Note } from '@/api/types'
import { useWords } from '@/i18n'
import { IconButton } from '@/ui/IconButton'
import { TextEditor } from '@/ui/TextEditor'
import { words } from './knowledgeWords'
import { changeNotes, forgetNote } from './notesQuery'

const MOST = 200

/** A kept note: how often it was used, and the ways to change it. */
export function NoteItem({ note }: { note: Note }) {
  const t = useWords(words)
  const [isEdited, setEdited] = useState(false)
  const { id, text, pinned } = note
  const finish = (changed: string | null) => {
    setEdited(false)
    if (changed !== null) void changeNotes(() => api.changeNote(id, { text: changed }))
  }
  return (
    <li className="flex items-center gap-2 border-t border-line py-2" data-note={id}>
      <div className="min-w-0 flex-1">
        {isEdited ? (
          <TextEditor label={t('knowledge.edit', { text })} text={text} most={MOST} onDone={finish} />
        ) : (
          <p dir="auto" className="text-sm wrap-anywhere">
            {text}
          </p>
        )}
        <p className="tabular text-xs text-muted">{t('knowledge.used', { n: note.used_count })}</p>
      </div>
      <IconButton small label={t('knowledge.edit', { text })} onClick={() => setEdited(true)}>
        <Pencil size={15} aria-hidden />
      </IconButton>
      <IconButton
        small
        label={t('knowledge.pin', { text })}
        aria-pressed={pinned}
        onClick={() => void changeNotes(() => api.changeNote(id, { pinned: !pinned }))}
      >
        <Pin size={15} aria-hidden fill={pinned ? 'currentColor' : 'none'} />
      </IconButton>
      <IconButton
        small
        label={t('knowledge.remove', { text })}
        onClick={() => {
          forgetNote(id)
          void changeNotes(() => api.removeNote(id))
        }}
      >
        <Trash2 size={15} aria-hidden />
      </IconButton>
    </li>
  )
}
