import { Ellipsis, Globe } from 'lucide-react'
import { memo, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { readAhead } from '@/api/queries'
import type { Session } from '@/api/types'
import { useT } from '@/i18n'
import { cx } from '@/lib/cx'
import { pictureUrl } from '@/lib/url'
import { ManageItems } from '@/session/ManageItems'
import { TITLE_CHARS, useSessionActions } from '@/session/sessionActions'
import { IconButton } from '@/ui/IconButton'
import { Menu } from '@/ui/Menu'
import { TextEditor } from '@/ui/TextEditor'
import { SessionSign } from './SessionSign'

interface Props {
  session: Session
  current: boolean
}

export const SessionItem = memo(function SessionItem({ session, current }: Props) {
  const t = useT()
  const { patch } = useSessionActions()
  const [isRenaming, setRenaming] = useState(false)
  const link = useRef<HTMLAnchorElement>(null)
  const ahead = useReadAhead(session.id)

  const stop = (title: string | null) => {
    setRenaming(false)
    if (title) void patch(session.id, { title })
    requestAnimationFrame(() => link.current?.focus())
  }
  if (isRenaming)
    return (
      <TextEditor
        label={t('sessions.title')}
        text={session.title}
        most={TITLE_CHARS}
        onDone={stop}
        className="px-2"
      />
    )
  return (
    <div className={cx('group relative flex items-center rounded-md', current ? 'bg-s3' : 'hover:bg-s2')}>
      <Link
        href={`/s/${session.id}`}
        ref={link}
        aria-current={current ? 'page' : undefined}
        onKeyDown={(event) => event.key === 'F2' && setRenaming(true)}
        {...(current ? {} : ahead)}
        className="touch flex h-9 min-w-0 flex-1 items-center gap-2 rounded-md pr-2.5 pl-2.5 text-sm -outline-offset-2 group-focus-within:pr-9 group-hover:pr-9 group-has-data-[popup-open]:pr-9 pointer-coarse:pr-11"
      >
        <SiteIcon address={session.icon} />
        <span className={cx('min-w-0 flex-1 truncate', session.unread && !current && 'font-medium')}>
          {session.title || t('sessions.untitled')}
        </span>
        <SessionSign session={session} current={current} />
      </Link>
      <ItemMenu session={session} onRename={() => setRenaming(true)} />
    </div>
  )
})

/** Of the site that it worked on last, from our own server. */
function SiteIcon({ address }: { address: string | null }) {
  const source = pictureUrl(address)
  if (!source) return <Globe size={16} aria-hidden className="shrink-0 text-faint" />
  return (
    <img src={source} alt="" width={16} height={16} className="size-4 shrink-0 rounded-xs object-contain" />
  )
}

/** Milliseconds after which a pointer rests on a session and does not just pass over it. */
const RESTING = 40

/** The session is read while the pointer rests on it or it has the focus, so that a click shows it at once. */
function useReadAhead(id: string) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const leave = () => clearTimeout(timer.current)
  useEffect(() => leave, [])
  return {
    onPointerEnter: () => {
      timer.current = setTimeout(() => readAhead(id), RESTING)
    },
    onPointerLeave: leave,
    onFocus: () => readAhead(id),
  }
}

function ItemMenu({ session, onRename }: { session: Session; onRename: () => void }) {
  const t = useT()
  const more = (
    <IconButton
      small
      label={t('sessions.more', { title: session.title })}
      className="absolute right-1 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 data-[popup-open]:opacity-100 pointer-coarse:opacity-100"
    >
      <Ellipsis size={16} aria-hidden />
    </IconButton>
  )
  return (
    <Menu trigger={more} align="start">
      <ManageItems session={session} onRename={onRename} />
    </Menu>
  )
}
