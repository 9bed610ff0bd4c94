import { Download, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api, downloads } from '@/api/client'
import { useWords } from '@/i18n'
import { download } from '@/lib/download'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { ImportButton } from '@/ui/ImportButton'
import { toast } from '@/ui/Toasts'
import { words } from './knowledgeWords'
import { changeNotes } from './notesQuery'

/** Export, import and the deletion of all notes. */
export function NotesActions({ isEmpty }: { isEmpty: boolean }) {
  const t = useWords(words)
  const [asks, setAsks] = useState(false)
  return (
    <div className="mt-4 flex flex-wrap gap-2">
      <ImportNotes />
      {!isEmpty && (
        <>
          <Button small tone="quiet" onClick={() => download(downloads.notes)}>
            <Download size={14} aria-hidden />
            {t('knowledge.export')}
          </Button>
          <Button small tone="quiet" onClick={() => setAsks(true)}>
            <Trash2 size={14} aria-hidden />
            {t('knowledge.clear')}
          </Button>
        </>
      )}
      {asks && (
        <Dialog open onClose={() => setAsks(false)} title={t('knowledge.clear')}>
          <p className="mb-4 text-sm">{t('knowledge.clear.sure')}</p>
          <Button
            tone="danger"
            onClick={() => {
              setAsks(false)
              void changeNotes(api.removeNotes)
            }}
          >
            {t('knowledge.clear.do')}
          </Button>
        </Dialog>
      )}
    </div>
  )
}

function ImportNotes() {
  const t = useWords(words)
  const keep = (document: unknown) =>
    changeNotes(async () => {
      const { items } = await api.importNotes(document)
      toast(t('knowledge.imported', { n: items.filter((note) => note.confirmed_at === null).length }))
    })
  return (
    <ImportButton label={t('knowledge.import')} unreadable={t('knowledge.import.bad')} onDocument={keep} />
  )
}
