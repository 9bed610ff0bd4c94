import { Check, Copy, FileText, PenLine, RotateCw, Table2 } from 'lucide-react'
import { useState } from 'react'
import { useT, useWords, wordbook } from '@/i18n'
import { splitAttached, withAttached } from '@/lib/attached'
import { useCopy } from '@/lib/copy'
import { cx } from '@/lib/cx'
import type { Mark } from '@/session/pointing/pointMarks'
import { PointedList } from '@/session/pointing/PointerChips'
import { sendAgain } from '@/session/send'
import { useSessionId } from '@/session/sessionId'
import { isOpen } from '@/stream/live'
import type { UserRow } from '@/stream/rows'
import { useLive } from '@/stream/store'
import { Button } from '@/ui/Button'
import { IconButton } from '@/ui/IconButton'
import { TimeStamp } from '@/ui/TimeStamp'
import { BranchButton } from './BranchButton'
import { EditMessage } from './EditMessage'
import { QueuedActions } from './QueuedActions'

const words = wordbook('userMessage', {
  'send.waiting': 'Not sent yet. It is sent when the server can be reached.',
})

export function UserMessage({ row }: { row: UserRow }) {
  const t = useT()
  const [isEditing, setEditing] = useState(false)
  const [copied, copy] = useCopy()
  const isQueued = row.mode === 'queue' && row.messageId !== null
  const canEdit = useLive(
    (state) => row.messageId !== null && !isOpen(state.run) && isLastUser(state.ids, state.rows, row.id),
  )
  const { words, names } = splitAttached(row.text)
  if (isEditing && row.messageId) {
    return (
      <EditMessage
        messageId={row.messageId}
        text={words}
        complete={(edited) => withAttached(edited, names)}
        isQueued={isQueued}
        onDone={() => setEditing(false)}
      />
    )
  }
  return (
    <div className="group flex flex-col items-end gap-0.5 pt-5 pb-2">
      <h3 className="sr-only">{t('you')}</h3>
      {words && (
        <div
          dir="auto"
          className={cx(
            'max-w-[86%] rounded-xl rounded-br-sm px-4 py-2.5 text-base wrap-anywhere whitespace-pre-wrap',
            isQueued ? 'border border-dashed border-strong text-muted' : 'bg-s2',
          )}
        >
          {words}
        </div>
      )}
      {names.length > 0 && (
        <ul aria-label={t('attached')} className="flex max-w-[86%] flex-wrap justify-end gap-1.5 pt-1">
          {names.map((name) => (
            <li
              key={name}
              title={name}
              className="flex h-8 max-w-full items-center gap-1.5 rounded-md border border-line bg-s1 px-2 text-xs"
            >
              <FileText size={14} aria-hidden className="shrink-0 text-muted" />
              <span className="min-w-0 truncate">{name}</span>
            </li>
          ))}
        </ul>
      )}
      <PointedList places={row.pointed} />
      {row.schema && (
        <p className="flex max-w-[86%] items-center gap-1.5 pt-1 text-xs text-muted">
          <Table2 size={13} aria-hidden className="shrink-0" />
          <span className="wrap-anywhere">
            {t('table.as')}: {row.schema.items.required.join(', ')}
          </span>
        </p>
      )}
      <div className="flex min-h-7 flex-wrap items-center justify-end gap-1 text-2xs text-faint">
        <Delivery row={row} />
        {isQueued && row.messageId && (
          <QueuedActions messageId={row.messageId} canSteer={!row.schema} onEdit={() => setEditing(true)} />
        )}
        <span className="flex items-center opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
          {canEdit && (
            <IconButton small label={t('edit')} onClick={() => setEditing(true)}>
              <PenLine size={14} aria-hidden />
            </IconButton>
          )}
          {row.messageId && !isQueued && <BranchButton messageId={row.messageId} />}
          <IconButton small label={copied ? t('copied') : t('copy')} data-copy onClick={() => copy(row.text)}>
            {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
          </IconButton>
        </span>
        {row.delivery === 'sent' && !isQueued && <TimeStamp at={row.at} />}
      </div>
    </div>
  )
}

function isLastUser(ids: string[], rows: Record<string, { kind: string }>, id: string): boolean {
  return ids.findLast((other) => rows[other]?.kind === 'user') === id
}

function Delivery({ row }: { row: UserRow }) {
  const t = useT()
  const tell = useWords(words)
  const sessionId = useSessionId()
  if (row.delivery === 'sending') return <span>{row.mode ? t(`mode.${row.mode}.note`) : t('sending')}</span>
  if (row.delivery === 'sent' && row.mode) return <Place row={row} />
  if (row.delivery === 'sent' || !row.clientId) return null
  const again = () => sendAgain(sessionId, row.clientId!, { ...row, marks: row.pointed as Mark[] })
  const waits = row.delivery === 'waiting'
  return (
    <span role="alert" className={cx('flex items-center gap-2 text-xs', waits ? 'text-warn' : 'text-danger')}>
      {waits ? tell('send.waiting') : `${t('send.failed')} ${row.failure}`}
      <Button small onClick={again}>
        <RotateCw size={13} aria-hidden />
        {t('retry')}
      </Button>
    </span>
  )
}

/** Of a message to a run at work, or behind one: whether it has been taken. */
function Place({ row }: { row: UserRow }) {
  const t = useT()
  if (row.mode === 'queue') return <span className="text-xs font-medium text-muted">{t('queued')}</span>
  if (row.isRead === null) return <span role="status">{t('mode.steer.note')}</span>
  return <span>{t(row.isRead ? 'steer.read' : 'steer.unread')}</span>
}
