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

/** Mock mode follows its scripts only. */
const FOR_MOCK = [
  { key: 'mock.think', icon: BookOpenText },
  { key: 'mock.shop', icon: Scale },
  { key: 'mock.login', icon: ClipboardPen },
  { key: 'mock.steps', icon: MousePointerClick },
] as const

const EXAMPLES = { model: FOR_MODELS, demo: FOR_DEMO, mock: FOR_MOCK }

interface Props {
  kind: keyof typeof EXAMPLES
  onPick: (task: string) => void
}

export function Examples({ kind, onPick }: Props) {
  const t = useWords(words)
  return (
    <ul aria-label={t('examples')} className="grid gap-2 md:grid-cols-2">
      {EXAMPLES[kind].map(({ key, icon: Icon }) => (
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
