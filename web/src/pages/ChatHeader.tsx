import { PanelRight } from 'lucide-react'
import { useState } from 'react'
import type { Session } from '@/api/types'
import { SessionMenu } from '@/features/export/SessionMenu'
import { UsageMeter } from '@/features/usage/UsageMeter'
import { useT } from '@/i18n'
import { useFrame } from '@/lib/frame'
import { TITLE_CHARS, useSessionActions } from '@/session/sessionActions'
import { IconButton } from '@/ui/IconButton'
import { SidebarButton } from '@/ui/SidebarButton'
import { TextEditor } from '@/ui/TextEditor'
import { LayoutMenu } from './LayoutMenu'

export function ChatHeader({ session }: { session: Session | undefined }) {
  const t = useT()
  const { panel } = useFrame()
  const [isRenaming, setRenaming] = useState(false)
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-2 md:px-3">
      <SidebarButton />
      <Title session={session} isEditing={isRenaming} onDone={() => setRenaming(false)} />
      <span className="min-w-0 flex-1" />
      <UsageMeter session={session} />
      {session && <SessionMenu session={session} onRename={() => setRenaming(true)} />}
      {panel.isSheet && (
        <IconButton label={t('panel.show')} keys="mod+j" aria-expanded={panel.isOpen} onClick={panel.toggle}>
          <PanelRight size={17} aria-hidden />
        </IconButton>
      )}
      {!panel.isSheet && !panel.isOpen && <LayoutMenu />}
    </header>
  )
}

interface TitleProps {
  session: Session | undefined
  isEditing: boolean
  onDone: () => void
}

function Title({ session, isEditing, onDone }: TitleProps) {
  const t = useT()
  const { patch } = useSessionActions()
  if (!session) return <h1 className="sr-only">{t('sessions.untitled')}</h1>
  const done = (title: string | null) => {
    onDone()
    if (title) void patch(session.id, { title })
  }
  if (isEditing)
    return (
      <TextEditor
        label={t('sessions.title')}
        text={session.title}
        most={TITLE_CHARS}
        onDone={done}
        className="max-w-96"
      />
    )
  return (
    <h1 dir="auto" className="min-w-0 truncate text-sm font-medium">
      {session.title || t('sessions.untitled')}
    </h1>
  )
}
