import { FileText, FileWarning, X } from 'lucide-react'
import { useLang, useT } from '@/i18n'
import { cx } from '@/lib/cx'
import { sizeOf } from '@/lib/size'
import { Spinner } from '@/ui/Spinner'
import { type Attachment, detach, useAttachments } from './attachments'

/** The files that go with the next message. */
export function AttachmentChips({ sessionId }: { sessionId: string | null }) {
  const t = useT()
  const lang = useLang()
  const items = useAttachments(sessionId)
  if (items.length === 0) return null
  return (
    <ul aria-label={t('attached')} className="flex flex-wrap gap-1.5 px-3 pt-3">
      {items.map((item) => (
        <li
          key={item.id}
          title={item.failure ?? item.name}
          className={cx(
            'flex h-8 max-w-full items-center gap-1.5 rounded-md border pl-2 text-xs',
            item.failure ? 'border-danger bg-danger-soft text-danger' : 'border-line bg-s1',
          )}
        >
          <Icon item={item} />
          <span className="min-w-0 truncate">
            {item.name}
            {item.failure && ` – ${item.failure}`}
          </span>
          {!item.failure && (
            <span className="tabular shrink-0 text-faint">{sizeOf(item.file.size, lang)}</span>
          )}
          <button
            type="button"
            aria-label={t('attach.remove', { name: item.name })}
            onClick={() => detach(sessionId, item)}
            className="touch flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:text-text"
          >
            <X size={14} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
}

function Icon({ item: { status } }: { item: Attachment }) {
  if (status === 'sending') return <Spinner size={14} />
  if (status === 'failed') return <FileWarning size={14} aria-hidden />
  return <FileText size={14} aria-hidden className="shrink-0 text-muted" />
}
