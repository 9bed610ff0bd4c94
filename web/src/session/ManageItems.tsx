import { PenLine, Pin, PinOff, Trash2 } from 'lucide-react'
import type { Session } from '@/api/types'
import { useT } from '@/i18n'
import { MenuItem, MenuLine } from '@/ui/Menu'
import { useSessionActions } from './sessionActions'

/** What each menu of a session ends with: its name, its place in the list, and its removal. */
export function ManageItems({ session, onRename }: { session: Session; onRename: () => void }) {
  const t = useT()
  const { patch, remove } = useSessionActions()
  return (
    <>
      <MenuItem icon={<PenLine size={15} aria-hidden />} onSelect={onRename}>
        {t('rename')}
      </MenuItem>
      <MenuItem
        icon={session.pinned ? <PinOff size={15} aria-hidden /> : <Pin size={15} aria-hidden />}
        onSelect={() => void patch(session.id, { pinned: !session.pinned })}
      >
        {session.pinned ? t('unpin') : t('pin')}
      </MenuItem>
      <MenuLine />
      <MenuItem danger icon={<Trash2 size={15} aria-hidden />} onSelect={() => void remove(session)}>
        {t('delete')}
      </MenuItem>
    </>
  )
}
