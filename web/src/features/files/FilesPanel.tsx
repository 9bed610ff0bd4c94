import { useQuery } from '@tanstack/react-query'
import { Download, FilePlus2, FileText, Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { api } from '@/api/client'
import { useConfig } from '@/api/queries'
import type { FileItem } from '@/api/types'
import { useLang, useWords } from '@/i18n'
import { download } from '@/lib/download'
import { useSessionId } from '@/session/sessionId'
import { useLive } from '@/stream/store'
import { Button } from '@/ui/Button'
import { IconButton } from '@/ui/IconButton'
import { TimeStamp } from '@/ui/TimeStamp'
import { toast } from '@/ui/Toasts'
import { filesKey, refreshFiles } from './files'
import { words } from './filesWords'
import { sizeOf } from '@/lib/size'

/** What the session's browser downloaded and what the person gave it. */
export default function FilesPanel() {
  const t = useWords(words)
  const sessionId = useSessionId()
  const step = useLive((state) => state.ids.length)
  const { data, isError } = useQuery({
    queryKey: [...filesKey(sessionId), step],
    queryFn: () => api.files(sessionId),
    placeholderData: (before) => before,
  })
  return (
    <div className="flex flex-col gap-3 p-4">
      <Adder sessionId={sessionId} />
      {isError && <p className="text-sm text-danger">{t('files.failed')}</p>}
      {data?.items.length === 0 && <p className="text-sm text-muted">{t('files.none')}</p>}
      <ul aria-label={t('files')} className="flex flex-col">
        {data?.items.map((item) => (
          <Item key={`${item.origin}/${item.name}`} sessionId={sessionId} item={item} />
        ))}
      </ul>
    </div>
  )
}

function Adder({ sessionId }: { sessionId: string }) {
  const t = useWords(words)
  const lang = useLang()
  const limits = useConfig()?.limits
  const input = useRef<HTMLInputElement>(null)
  const [busy, setBusy] = useState<string | null>(null)
  const add = async (files: Iterable<File>) => {
    for (const file of files) {
      setBusy(file.name)
      await api.upload(sessionId, file).catch((error: Error) => toast(`${file.name}: ${error.message}`))
    }
    setBusy(null)
    refreshFiles(sessionId)
  }
  return (
    <div
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        void add([...event.dataTransfer.files])
      }}
      className="flex flex-col items-start gap-2 rounded-lg border border-dashed border-strong p-3"
    >
      <Button onClick={() => input.current?.click()} disabled={busy !== null}>
        <FilePlus2 size={15} aria-hidden />
        {t('files.add')}
      </Button>
      <p role="status" className="text-xs text-muted">
        {busy ? t('files.busy', { name: busy }) : `${t('files.drop')}. `}
        {!busy &&
          limits &&
          t('files.limit', { files: String(limits.files), size: sizeOf(limits.file_bytes, lang) })}
      </p>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('files.add')}
        onChange={(event) => {
          void add([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
    </div>
  )
}

function Item({ sessionId, item }: { sessionId: string; item: FileItem }) {
  const t = useWords(words)
  const lang = useLang()
  const [isSure, setSure] = useState(false)
  const remove = async () => {
    await api.removeFile(sessionId, item.name).catch((error: Error) => toast(error.message))
    refreshFiles(sessionId)
  }
  return (
    <li className="flex items-center gap-2 border-b border-line py-2 last:border-0">
      <FileText size={17} aria-hidden className="shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm" title={item.name}>
          {item.name}
        </p>
        <p className="truncate text-2xs text-muted">
          {sizeOf(item.size, lang)} · {t(`files.origin.${item.origin}`)} · <TimeStamp at={item.created_at} />
        </p>
      </div>
      {isSure ? (
        <Button small autoFocus tone="danger" onClick={() => void remove()} onBlur={() => setSure(false)}>
          {t('files.remove.sure')}
        </Button>
      ) : (
        <>
          <IconButton small label={t('files.save', { name: item.name })} onClick={() => download(item.url)}>
            <Download size={15} aria-hidden />
          </IconButton>
          <IconButton small label={t('files.remove', { name: item.name })} onClick={() => setSure(true)}>
            <Trash2 size={15} aria-hidden />
          </IconButton>
        </>
      )}
    </li>
  )
}
