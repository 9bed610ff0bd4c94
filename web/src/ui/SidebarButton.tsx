import { Menu, PanelLeft } from 'lucide-react'
import { useT } from '@/i18n'
import { useFrame } from '@/lib/frame'
import { useOpenQuestions } from '@/lib/title'
import { IconButton } from './IconButton'

/** Opens the sidebar, where it is not in sight. */
export function SidebarButton() {
  const t = useT()
  const { sidebar } = useFrame()
  const isAsked = useOpenQuestions((state) => state.count > 0)
  if (sidebar.isOpen && !sidebar.isSheet) return null
  return (
    <IconButton
      label={t('sidebar.show')}
      aria-description={isAsked ? t('question.waiting') : undefined}
      keys="mod+b"
      aria-expanded={sidebar.isOpen}
      onClick={sidebar.toggle}
    >
      <span className="relative">
        {sidebar.isSheet ? <Menu size={18} aria-hidden /> : <PanelLeft size={17} aria-hidden />}
        {isAsked && <span className="absolute -top-1 -right-1 size-2 rounded-full bg-warn" />}
      </span>
    </IconButton>
  )
}
