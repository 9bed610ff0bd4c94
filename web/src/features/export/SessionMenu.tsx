import {
  CalendarClock,
  Ellipsis,
  FileCode2,
  FileJson2,
  FileText,
  Globe,
  Hand,
  History,
  KeyRound,
  Lightbulb,
  Share2,
  ShieldCheck,
  Smartphone,
} from 'lucide-react'
import { downloads, type ExportFormat } from '@/api/client'
import type { Session } from '@/api/types'
import { useT } from '@/i18n'
import { openReplay, openTakeover } from '@/lib/addresses'
import { download } from '@/lib/download'
import { useOverlay } from '@/lib/overlay'
import { ManageItems } from '@/session/ManageItems'
import { repeat } from '@/session/repeat'
import { IconButton } from '@/ui/IconButton'
import { Menu, MenuItem, MenuLine } from '@/ui/Menu'

const FORMATS: [ExportFormat, typeof FileText][] = [
  ['md', FileText],
  ['json', FileJson2],
  ['html', FileCode2],
]

/** What can be done with a session as a whole. */
export function SessionMenu({ session, onRename }: { session: Session; onRename: () => void }) {
  const t = useT()
  const sessionId = session.id
  const show = useOverlay((state) => state.show)
  const trigger = (
    <IconButton label={t('session.menu')}>
      <Ellipsis size={18} aria-hidden />
    </IconButton>
  )
  return (
    <Menu trigger={trigger}>
      <MenuItem icon={<Hand size={15} aria-hidden />} onSelect={() => openTakeover(sessionId)}>
        {t('takeover')}
      </MenuItem>
      <MenuItem icon={<Smartphone size={15} aria-hidden />} onSelect={() => show('handoff')}>
        {t('handoff')}
      </MenuItem>
      <MenuItem icon={<History size={15} aria-hidden />} onSelect={() => openReplay(sessionId)}>
        {t('replay')}
      </MenuItem>
      <MenuItem icon={<Share2 size={15} aria-hidden />} onSelect={() => show('replays')}>
        {t('replay.share')}
      </MenuItem>
      <MenuItem icon={<CalendarClock size={15} aria-hidden />} onSelect={() => repeat(sessionId)}>
        {t('repeat')}
      </MenuItem>
      <MenuItem icon={<ShieldCheck size={15} aria-hidden />} onSelect={() => show('grants')}>
        {t('grants.session')}
      </MenuItem>
      <MenuItem icon={<Lightbulb size={15} aria-hidden />} onSelect={() => show('instructions')}>
        {t('instructions')}
      </MenuItem>
      <MenuItem icon={<Globe size={15} aria-hidden />} onSelect={() => show('surroundings')}>
        {t('surroundings')}
      </MenuItem>
      <MenuItem icon={<KeyRound size={15} aria-hidden />} onSelect={() => show('keptSites')}>
        {t('kept.sites')}
      </MenuItem>
      <MenuLine />
      {FORMATS.map(([format, Icon]) => (
        <MenuItem
          key={format}
          icon={<Icon size={15} aria-hidden />}
          onSelect={() => download(downloads.session(sessionId, format))}
        >
          {t(`export.${format}`)}
        </MenuItem>
      ))}
      <MenuLine />
      <ManageItems session={session} onRename={onRename} />
    </Menu>
  )
}
