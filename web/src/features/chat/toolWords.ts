import {
  ArrowLeft,
  Camera,
  Compass,
  Eye,
  FileUp,
  Globe,
  Hourglass,
  Keyboard,
  ListChecks,
  type LucideIcon,
  MousePointerClick,
  Move,
  PanelsTopLeft,
  ScrollText,
  TextCursorInput,
  Wrench,
} from 'lucide-react'
import type { Key } from '@/i18n'
import { hostOf } from '@/lib/url'
import type { ToolRow } from '@/stream/rows'

interface Word {
  key: Key
  icon: LucideIcon
}

const WORDS: Record<string, Word> = {
  click: { key: 'did.click', icon: MousePointerClick },
  type: { key: 'did.type', icon: TextCursorInput },
  fill: { key: 'did.type', icon: TextCursorInput },
  fill_form: { key: 'did.fill', icon: TextCursorInput },
  navigate: { key: 'did.navigate', icon: Globe },
  launch: { key: 'did.navigate', icon: Globe },
  open: { key: 'did.navigate', icon: Globe },
  back: { key: 'did.back', icon: ArrowLeft },
  navigate_back: { key: 'did.back', icon: ArrowLeft },
  press: { key: 'did.press', icon: Keyboard },
  press_key: { key: 'did.press', icon: Keyboard },
  select: { key: 'did.select', icon: ListChecks },
  select_option: { key: 'did.select', icon: ListChecks },
  hover: { key: 'did.hover', icon: Move },
  scroll: { key: 'did.scroll', icon: ScrollText },
  wait: { key: 'did.wait', icon: Hourglass },
  wait_for: { key: 'did.wait', icon: Hourglass },
  screenshot: { key: 'did.screenshot', icon: Camera },
  take_screenshot: { key: 'did.screenshot', icon: Camera },
  observe: { key: 'did.observe', icon: Eye },
  snapshot: { key: 'did.observe', icon: Eye },
  get_state: { key: 'did.observe', icon: Eye },
  read: { key: 'did.read', icon: ScrollText },
  get_text_near: { key: 'did.read', icon: ScrollText },
  focus: { key: 'did.focus', icon: Compass },
  switch_tab: { key: 'did.tab', icon: PanelsTopLeft },
  tabs: { key: 'did.tab', icon: PanelsTopLeft },
  upload: { key: 'did.upload', icon: FileUp },
  file_upload: { key: 'did.upload', icon: FileUp },
}

export interface ToolWords {
  icon: LucideIcon
  /** The verb, or null for a tool not known here: then `name` says it. */
  verb: Key | null
  name: string
  object: string | null
}

/** What a tool call did, in words a person reads instead of JSON. */
export function toolWords(row: Pick<ToolRow, 'name' | 'args' | 'url'>): ToolWords {
  const bare = row.name.replace(/^(browser|playwright|browser_use)_+/, '')
  const word = WORDS[bare]
  return {
    icon: word?.icon ?? Wrench,
    verb: word?.key ?? null,
    name: bare.replaceAll('_', ' '),
    object: objectOf(row.args),
  }
}

const TELLING = ['element', 'target', 'label', 'name', 'field', 'key', 'option', 'file', 'query', 'direction']

/** `button "Add to basket"`: only the name is for people. */
const NAMED = /^[a-z]+ "(.+)"$/

function objectOf(args: Record<string, unknown>): string | null {
  for (const name of TELLING) {
    const value = args[name]
    if (typeof value === 'string' && value) return NAMED.exec(value)?.[1] ?? value
    if (isNamed(value)) return value.name
  }
  if (typeof args.url === 'string') return hostOf(args.url) ?? args.url
  if (typeof args.text === 'string' && args.text) return args.text
  return null
}

const isNamed = (value: unknown): value is { name: string } =>
  typeof value === 'object' && value !== null && typeof (value as { name?: unknown }).name === 'string'
