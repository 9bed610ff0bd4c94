import { BookOpenText, Camera, ClipboardPen, MousePointerClick, Scale, ScanSearch } from 'lucide-react'
import { useWords } from '@/i18n'
import { words } from './startWords'

const FOR_MODELS = [
  { key: 'example.compare', icon: Scale },
  { key: 'example.find', icon: ScanSearch },
  { key: 'example.form', icon: ClipboardPen },
  { key: 'example.read', icon: BookOpenText },
] as const

/** The demo model follows plain commands only. */
const FOR_DEMO = [
  { key: 'demo.read', icon: BookOpenText },
  { key: 'demo.click', icon: MousePointerClick },
  { key: 'demo.search', icon: ScanSearch },
  { key: 'demo.shot', icon: Camera },
] as const

interface Props {
  demo: boolean
  onPick: (task: string) => void
}

export function Examples({ demo, onPick }: Props) {
  const t = useWords(words)
  const examples = demo ? FOR_DEMO : FOR_MODELS
  return (
    <ul aria-label={t('examples')} className="grid gap-2 md:grid-cols-2">
      {examples.map(({ key, icon: Icon }) => (
        <li key={key}>
          <button
            type="button"
            onClick={() => onPick(t(key))}
            className="flex h-full w-full items-start gap-2.5 rounded-lg border border-line px-3 py-2.5 text-start text-sm text-muted transition-colors hover:border-strong hover:text-text"
          >
            <Icon size={16} aria-hidden className="mt-0.5 shrink-0 text-accent-text" />
            {t(key)}
          </button>
        </li>
      ))}
    </ul>
  )
}
