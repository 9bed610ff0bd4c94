import { useState } from 'react'
import type { Note } from '@/api/types'
import { InstructionsForm } from '@/features/knowledge/InstructionsForm'
import { words } from '@/features/knowledge/knowledgeWords'
import { NoteItem } from '@/features/knowledge/NoteItem'
import { NotesActions } from '@/features/knowledge/NotesActions'
import { useNotes } from '@/features/knowledge/notesQuery'
import { ProposedNotes } from '@/features/knowledge/ProposedNotes'
import { useWords } from '@/i18n'
import { useTitle } from '@/lib/title'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'
import { SidebarButton } from '@/ui/SidebarButton'
import { Spinner } from '@/ui/Spinner'

/** What the agent knows of its person: instructions, and notes by site. */
export default function KnowledgePage() {
  const t = useWords(words)
  useTitle(`${t('knowledge')} – Pilothouse`, 'none')
  return (
    <div className="flex h-full flex-col">
      <header className="flex h-12 shrink-0 items-center gap-2 px-2 md:px-4">
        <SidebarButton />
        <h1 className="min-w-0 flex-1 truncate font-medium">{t('knowledge')}</h1>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex max-w-[720px] flex-col px-4 pb-8">
          <p className="mb-4 text-sm text-muted">{t('knowledge.about')}</p>
          <InstructionsForm />
          <h2 className="mt-8 mb-1 font-medium">{t('knowledge.notes')}</h2>
          <p className="mb-4 text-sm text-muted">{t('knowledge.notes.about')}</p>
          <ProposedNotes className="mb-4" />
          <KeptNotes />
        </div>
      </div>
    </div>
  )
}

function KeptNotes() {
  const t = useWords(words)
  const { data, isPending, isError, refetch } = useNotes()
  const [query, setQuery] = useState('')
  const wanted = query.trim().toLocaleLowerCase()
  const kept = (data?.items ?? []).filter((note) => note.confirmed_at !== null)
  const found = kept.filter((note) => `${note.site} ${note.text}`.toLocaleLowerCase().includes(wanted))
  return (
    <>
      {isPending && <Spinner className="text-muted" />}
      {isError && (
        <div role="alert" className="flex flex-col items-start gap-3">
          <p className="text-sm">{t('knowledge.failed')}</p>
          <Button onClick={() => void refetch()}>{t('retry')}</Button>
        </div>
      )}
      {kept.length > 0 && (
        <Field
          type="search"
          label={t('knowledge.search')}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      )}
      {data && found.length === 0 && (
        <p className="py-4 text-sm text-muted">
          {t(kept.length === 0 ? 'knowledge.none' : 'knowledge.none.found')}
        </p>
      )}
      {bySite(found).map(([site, notes]) => (
        <section key={site} aria-label={site} className="mt-4">
          <h3 className="mb-1 text-sm font-medium wrap-anywhere">{site}</h3>
          <ul>
            {notes.map((note) => (
              <NoteItem key={note.id} note={note} />
            ))}
          </ul>
        </section>
      ))}
      {data && <NotesActions isEmpty={data.items.length === 0} />}
    </>
  )
}

/** The sites in the order of the server, each with its notes. */
function bySite(notes: Note[]): [string, Note[]][] {
  const sites = new Map<string, Note[]>()
  for (const note of notes) sites.set(note.site, [...(sites.get(note.site) ?? []), note])
  return [...sites]
}
