import { Download } from 'lucide-react'
import { useLang, useWords } from '@/i18n'
import { sizeOf } from '@/lib/size'
import { download } from '@/lib/download'
import { addressOf, type Downloaded } from '@/session/downloads'
import { useSessionId } from '@/session/sessionId'
import { Chip } from '@/ui/Chip'
import { words } from './answerWords'

/** Files that the browser has downloaded, to be saved with one press. */
export function FileChips({ files }: { files: Downloaded[] }) {
  const t = useWords(words)
  const lang = useLang()
  const sessionId = useSessionId()
  return files.map(({ name, size }) => (
    <Chip
      key={name}
      icon={<Download size={14} aria-hidden />}
      title={t('chip.save', { name })}
      onClick={() => download(addressOf(sessionId, name))}
    >
      <span className="min-w-0 truncate">{name}</span>
      <span className="tabular shrink-0 text-faint">{sizeOf(size, lang)}</span>
    </Chip>
  ))
}
