import {
  AlarmClock,
  BookOpenText,
  Camera,
  ClipboardPen,
  LogIn,
  type LucideIcon,
  MousePointerClick,
  Play,
  Scale,
  ScanSearch,
  Table2,
} from 'lucide-react'
import type { ReactNode } from 'react'
import type { ResultSchema } from '@/api/types'
import { useWords } from '@/i18n'
import { useScheduleDraft } from '@/lib/scheduleDraft'
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

/** Columns of the example's table, by the key of their name. */
const COLUMNS = [
  ['column.product', 'string'],
  ['column.price', 'number'],
  ['column.stock', 'integer'],
] as const

export interface ExampleColumn {
  name: string
  kind: 'string' | 'number' | 'integer'
}

interface Props {
  kind: keyof typeof EXAMPLES
  /** Whether the browsers reach the sample site. */
  hasSample: boolean
  /** Begins the task at once. */
  onStart: (task: string) => void
  /** Puts the task into the composer. */
  onPick: (task: string, columns?: ExampleColumn[]) => void
}

export function Examples({ kind, hasSample, onStart, onPick }: Props) {
  const t = useWords(words)
  const columns = COLUMNS.map(([key, type]) => ({ name: t(key), kind: type }))
  const everyMorning = () =>
    useScheduleDraft.getState().open({
      name: t('sample.daily.name'),
      task: t('sample.table.task'),
      result_schema: schemaOf(columns),
    })
  return (
    <ul aria-label={t('examples')} className="grid gap-2 md:grid-cols-2">
      {hasSample && (
        <Example icon={Play} isFirst onClick={() => onStart(t('sample.buy.task'))}>
          <span className="font-medium text-text">{t('sample.buy')}</span>
          <span className="block text-xs text-muted">{t('sample.buy.about')}</span>
        </Example>
      )}
      {hasSample && kind === 'demo' ? (
        <>
          <Example icon={Table2} onClick={() => onPick(t('sample.table.task'), columns)}>
            {t('sample.table')}
          </Example>
          <Example icon={LogIn} onClick={() => onPick(t('sample.login.task'))}>
            {t('sample.login')}
          </Example>
          <Example icon={AlarmClock} onClick={everyMorning}>
            {t('sample.daily')}
          </Example>
        </>
      ) : (
        EXAMPLES[kind].slice(0, hasSample ? 3 : 4).map(({ key, icon }) => (
          <Example key={key} icon={icon} onClick={() => onPick(t(key))}>
            {t(key)}
          </Example>
        ))
      )}
    </ul>
  )
}

const schemaOf = (columns: ExampleColumn[]): ResultSchema => ({
  type: 'array',
  items: {
    type: 'object',
    properties: Object.fromEntries(columns.map(({ name, kind }) => [name, { type: kind }])),
    required: columns.map(({ name }) => name),
  },
})

interface ExampleProps {
  icon: LucideIcon
  /** Takes the whole width, in the colour of what is to be pressed. */
  isFirst?: boolean
  onClick: () => void
  children: ReactNode
}

function Example({ icon: Icon, isFirst = false, onClick, children }: ExampleProps) {
  return (
    <li className={isFirst ? 'md:col-span-2' : undefined}>
      <button
        type="button"
        onClick={onClick}
        className={`flex h-full w-full items-start gap-2.5 rounded-lg border px-3 py-2.5 text-start text-sm text-muted transition-colors hover:border-strong hover:text-text ${isFirst ? 'border-accent bg-accent-soft' : 'border-line'}`}
      >
        <Icon size={16} aria-hidden className="mt-0.5 shrink-0 text-accent-text" />
        <span className="min-w-0">{children}</span>
      </button>
    </li>
  )
}
