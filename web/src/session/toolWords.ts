import {
  ArrowLeft,
  ArrowRightLeft,
  Camera,
  Compass,
  Eye,
  FileText,
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
  Table2,
  TextCursorInput,
  Wrench,
} from 'lucide-react'
import type { Pending } from '@/api/types'
import type { Key, Translate } from '@/i18n'
import { hostOf } from '@/lib/url'
import type { ToolRow } from '@/stream/rows'

interface Word {
  word: Extract<Key, `did.${string}`> extends `did.${infer Name}` ? Name : never
  icon: LucideIcon
}

/** The row at which the second model begins to answer; it is no tool. */
export const SECOND_MODEL = 'second_model'

const WORDS: Record<string, Word> = {
  [SECOND_MODEL]: { word: 'secondModel', icon: ArrowRightLeft },
  click: { word: 'click', icon: MousePointerClick },
  type: { word: 'type', icon: TextCursorInput },
  fill: { word: 'type', icon: TextCursorInput },
  fill_form: { word: 'fill', icon: TextCursorInput },
  navigate: { word: 'navigate', icon: Globe },
  launch: { word: 'navigate', icon: Globe },
  open: { word: 'navigate', icon: Globe },
  back: { word: 'back', icon: ArrowLeft },
  navigate_back: { word: 'back', icon: ArrowLeft },
  press: { word: 'press', icon: Keyboard },
  press_key: { word: 'press', icon: Keyboard },
  select: { word: 'select', icon: ListChecks },
  select_option: { word: 'select', icon: ListChecks },
  hover: { word: 'hover', icon: Move },
  double_click: { word: 'doubleClick', icon: MousePointerClick },
  click_right: { word: 'rightClick', icon: MousePointerClick },
  click_hold: { word: 'hold', icon: MousePointerClick },
  click_ctrl: { word: 'ctrlClick', icon: MousePointerClick },
  click_shift: { word: 'shiftClick', icon: MousePointerClick },
  drag: { word: 'drag', icon: Move },
  scroll: { word: 'scroll', icon: ScrollText },
  wait: { word: 'wait', icon: Hourglass },
  wait_for: { word: 'wait', icon: Hourglass },
  screenshot: { word: 'screenshot', icon: Camera },
  take_screenshot: { word: 'screenshot', icon: Camera },
  observe: { word: 'observe', icon: Eye },
  snapshot: { word: 'observe', icon: Eye },
  get_state: { word: 'observe', icon: Eye },
  read: { word: 'read', icon: ScrollText },
  read_file: { word: 'read', icon: FileText },
  read_page: { word: 'readPage', icon: ScrollText },
  get_text_near: { word: 'read', icon: ScrollText },
  record: { word: 'record', icon: Table2 },
  focus: { word: 'focus', icon: Compass },
  switch_tab: { word: 'tab', icon: PanelsTopLeft },
  tabs: { word: 'tab', icon: PanelsTopLeft },
  upload: { word: 'upload', icon: FileUp },
  file_upload: { word: 'upload', icon: FileUp },
}

const FIND_ON_PAGE = { word: 'findOnPage', icon: ScrollText } as const

export interface ToolWords {
  icon: LucideIcon
  /** The verb, or null for a tool not known here: then `name` says it. */
  verb: Key | null
  name: string
  object: string | null
  /** The object is a word of the UI, such as a direction, which is not quoted. */
  isOwn: boolean
}

type Named = Pick<ToolRow, 'name' | 'args'> & Partial<Pick<ToolRow, 'title'>>

/** What a tool call did, in words a person reads instead of JSON. */
export function toolWords(row: Named, t: Translate, isDone = true): ToolWords {
  const bare = row.name.replace(/^(browser|playwright|browser_use)_+/, '')
  const inManner = bare === 'click' ? WORDS[`click_${String(row.args.manner)}`] : undefined
  const word = bare === 'read_page' && row.args.query ? FIND_ON_PAGE : (inManner ?? WORDS[bare])
  return {
    icon: word?.icon ?? Wrench,
    verb: word ? `${isDone ? 'did' : 'do'}.${word.word}` : null,
    name: bare.replaceAll('_', ' '),
    ...(word?.word === 'navigate' && row.title ? { object: row.title, isOwn: false } : objectOf(row.args, t)),
  }
}

const UPLOADS = new Set(['upload', 'file_upload'])

/** What would be done, in the words of the feed: "Click Place order". */
export function actionWords(question: Pending, t: Translate): string {
  const action = question.action ?? {}
  const kind = action.double ? 'double_click' : String(action.kind ?? action.type ?? action.name ?? '')
  // Of a click or key, `fields` are what the form holds that it sends.
  const isTyping = /type|fill/.test(kind)
  if (isTyping && Array.isArray(action.fields) && action.fields.length > 1) return t('do.fill')
  const file = action.file
  if (UPLOADS.has(kind) && typeof file === 'string' && file) {
    const name = question.target?.name
    return name ? t('question.uploadTo', { file, name }) : t('question.upload', { file })
  }
  const words = toolWords({ name: kind, args: action }, t, false)
  const verb = words.verb ? t(words.verb) : words.name
  if (question.target?.role === 'point') return t('question.point', { verb, name: question.target.name })
  const object = question.target?.name ?? words.object ?? ''
  const isQuoted = object && !(words.isOwn && object === words.object)
  return `${verb} ${isQuoted ? t('quoted', { text: object }) : object}`.trim()
}

const OBJECT_ARGUMENTS = ['element', 'target', 'label', 'name', 'field', 'key', 'option', 'file', 'query']

/** `button "Add to basket"`: only the name is for people. */
const NAMED = /^[a-z]+ "(.+)"$/

/** `button "Send"` as people say it: `Send`. */
export const plainName = (label: string): string => NAMED.exec(label)?.[1] ?? label

function objectOf(args: Record<string, unknown>, t: Translate): Pick<ToolWords, 'object' | 'isOwn'> {
  const object = nameIn(args)
  const direction = object === null ? directionOf(args.direction, t) : null
  return { object: object ?? direction, isOwn: direction !== null }
}

function nameIn(args: Record<string, unknown>): string | null {
  for (const name of OBJECT_ARGUMENTS) {
    const value = args[name]
    if (typeof value === 'string' && value) return plainName(value)
    if (isNamed(value)) return value.name
  }
  if (typeof args.url === 'string') return hostOf(args.url) ?? args.url
  if (typeof args.text === 'string' && args.text) return args.text
  return null
}

const DIRECTIONS = ['up', 'down', 'left', 'right'] as const

function directionOf(value: unknown, t: Translate): string | null {
  const known = DIRECTIONS.find((direction) => direction === value)
  return known ? t(`direction.${known}`) : null
}

const isNamed = (value: unknown): value is { name: string } =>
  typeof value === 'object' && value !== null && typeof (value as { name?: unknown }).name === 'string'
