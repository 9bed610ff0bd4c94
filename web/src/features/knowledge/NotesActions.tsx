import { Download, Trash2, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { api, downloads } from '@/api/client'
import { useWords } from '@/i18n'
import { download } from '@/lib/download'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
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
  const input = useRef<HTMLInputElement>(null)
  const read = async (file: File) => {
    let document: unknown
    try {
      document = JSON.parse(await file.text())
    } catch {
      return toast(t('knowledge.import.bad'))
    }
    await changeNotes(async () => {
      const { items } = await api.importNotes(document)
      toast(t('knowledge.imported', { n: items.filter((note) => note.confirmed_at === null).length }))
    })
  }
  return (
    <>
      <Button small tone="quiet" onClick={() => input.current?.click()}>
        <Upload size={14} aria-hidden />
        {t('knowledge.import')}
      </Button>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        aria-label={t('knowledge.import')}
        className="hidden"
        onChange={(event) => {
          const file = event.target.files?.[0]
          event.target.value = ''
          if (file) void read(file)
        }}
      />
    </>
  )
}
