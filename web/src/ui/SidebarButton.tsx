import { Menu, PanelLeft } from 'lucide-react'
import { useT } from '@/i18n'
import { useFrame } from '@/lib/frame'
import { IconButton } from './IconButton'

/** Opens the sidebar, where it is not in sight. */
export function SidebarButton() {
  const t = useT()
  const { sidebar } = useFrame()
  if (sidebar.isOpen && !sidebar.isSheet) return null
  return (
    <IconButton
      label={t('sidebar.show')}
      keys="mod+b"
      aria-expanded={sidebar.isOpen}
      onClick={sidebar.toggle}
    >
      {sidebar.isSheet ? <Menu size={18} aria-hidden /> : <PanelLeft size={17} aria-hidden />}
    </IconButton>
  )
}
