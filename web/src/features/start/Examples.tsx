import { BookOpenText, ClipboardPen, Scale, ScanSearch } from 'lucide-react'
import { useT } from '@/i18n'

const EXAMPLES = [
  { key: 'example.compare', icon: Scale },
  { key: 'example.find', icon: ScanSearch },
  { key: 'example.form', icon: ClipboardPen },
  { key: 'example.read', icon: BookOpenText },
] as const

export function Examples({ onPick }: { onPick: (task: string) => void }) {
  const t = useT()
  return (
    <ul aria-label={t('examples')} className="grid gap-2 md:grid-cols-2">
      {EXAMPLES.map(({ key, icon: Icon }) => (
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
