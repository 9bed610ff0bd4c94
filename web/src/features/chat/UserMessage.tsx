import { Check, Copy, PenLine, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { useT } from '@/i18n'
import { useCopy } from '@/lib/copy'
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

export function UserMessage({ row }: { row: UserRow }) {
  const t = useT()
  const [isEditing, setEditing] = useState(false)
  const [copied, copy] = useCopy()
  const canEdit = useLive(
    (state) => row.messageId !== null && !isOpen(state.run) && isLastUser(state.ids, state.rows, row.id),
  )
  if (isEditing && row.messageId) {
    return <EditMessage messageId={row.messageId} text={row.text} onDone={() => setEditing(false)} />
  }
  return (
    <div className="group flex flex-col items-end gap-0.5 pt-5 pb-2">
      <h3 className="sr-only">{t('you')}</h3>
      <div className="max-w-[86%] rounded-xl rounded-br-sm bg-s2 px-4 py-2.5 text-base wrap-anywhere whitespace-pre-wrap">
        {row.text}
      </div>
      <div className="flex h-7 items-center gap-1 text-2xs text-faint">
        <Delivery row={row} />
        <span className="flex items-center opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
          {canEdit && (
            <IconButton small label={t('edit')} onClick={() => setEditing(true)}>
              <PenLine size={14} aria-hidden />
            </IconButton>
          )}
          {row.messageId && <BranchButton messageId={row.messageId} />}
          <IconButton small label={copied ? t('copied') : t('copy')} data-copy onClick={() => copy(row.text)}>
            {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
          </IconButton>
        </span>
        {row.delivery === 'sent' && <TimeStamp at={row.at} />}
      </div>
    </div>
  )
}

function isLastUser(ids: string[], rows: Record<string, { kind: string }>, id: string): boolean {
  return ids.findLast((other) => rows[other]?.kind === 'user') === id
}

function Delivery({ row }: { row: UserRow }) {
  const t = useT()
  const sessionId = useSessionId()
  if (row.delivery === 'sending') return <span>{row.mode ? t(`mode.${row.mode}.note`) : t('sending')}</span>
  if (row.delivery === 'sent' || !row.clientId) return null
  const again = () => sendAgain(sessionId, row.clientId!, row.text, row.mode)
  return (
    <span role="alert" className="flex items-center gap-2 text-xs text-danger">
      {t('send.failed')} {row.failure}
      <Button small onClick={again}>
        <RotateCw size={13} aria-hidden />
        {t('retry')}
      </Button>
    </span>
  )
}
