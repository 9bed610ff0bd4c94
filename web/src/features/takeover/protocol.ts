import type { Box, Parts } from '@/api/types'

/** How the document shown came; `none` is from no site. */
export type Security = 'secure' | 'plain' | 'error' | 'none'

export type Holder = 'none' | 'me' | 'other'

export interface PageTab {
  index: number
  title: string
  url: string
  active: boolean
}

export interface PageElement {
  eid: string
  role: string
  name: string
  value?: string | null
}

export interface LiveStateMessage {
  type: 'state'
  holder: Holder
  browser: 'closed' | 'open' | 'restarted'
  /** These three are null while the browser is closed. */
  url: string | null
  title: string | null
  /** CSS pixels of the page. */
  viewport: [number, number] | null
  tabs: PageTab[]
  security?: Security | null
  /** It cannot be opened yet: its place in the queue, from 1. */
  queue_place?: number | null
}

export interface PickerOption {
  label: string
  /** In a list, the option's place. */
  value: string
  group: string
  disabled: boolean
}

/** A field for which the browser itself would open a window that no picture shows. */
export interface Picker {
  kind: 'select' | 'suggestions' | 'date' | 'time' | 'month' | 'week' | 'datetime-local' | 'color'
  name: string
  value: string
  options: PickerOption[]
}

export interface FocusedField {
  /** As HTML's `inputmode`; empty if it takes no text. */
  keyboard: string
  picker: Picker | null
}

/** Both are empty if there is none. */
export interface LoginToKeep {
  host: string
  kind: 'new' | 'changed' | ''
}

/** What the server says on `WS /api/sessions/{id}/live`; a binary frame follows each `frame`. */
export type FromServer =
  | LiveStateMessage
  | { type: 'frame'; width: number; height: number }
  | { type: 'elements'; items: PageElement[]; loading?: boolean }
  | { type: 'error'; code: string; message: string; message_parts?: Parts | null }
  | { type: 'target'; box: Box | null; label: string }
  /** What the holder has copied in the page. */
  | { type: 'copied'; text: string }
  /** The login with which the holder has signed in, if it is not stored: where, and whether only its password is new. */
  | ({ type: 'login' } & LoginToKeep)
  /** What has the focus in the page of the holder. */
  | ({ type: 'field' } & FocusedField)

/** By name; -1 is none. */
export type MouseButton = -1 | 'left' | 'middle' | 'right' | 'back' | 'forward'

export interface MouseMessage {
  type: 'mouse'
  kind: 'move' | 'down' | 'up'
  x: number
  y: number
  button: MouseButton
  clicks: number
  modifiers: number
}

export interface KeyMessage {
  type: 'key'
  kind: 'down' | 'up'
  key: string
  code: string
  text?: string
  modifiers: number
}

export interface WheelMessage {
  type: 'wheel'
  x: number
  y: number
  dx: number
  dy: number
}

/** What is done while the browser is held. */
export type InputMessage =
  | MouseMessage
  | WheelMessage
  | KeyMessage
  | { type: 'text'; text: string }
  | { type: 'resize'; width: number; height: number }
  | { type: 'tab'; index: number }
  | { type: 'go'; url: string }
  | { type: 'back' | 'reload' | 'elements' }
  | { type: 'click'; eid: string }
  | { type: 'type'; eid: string; text: string }
  | { type: 'choose'; value: string }

export type ToServer =
  | { type: 'ack' | 'take' | 'beat' | 'login' }
  | { type: 'keep_login'; answer: 'save' | 'later' | 'never' }
  | { type: 'release'; note?: string }
  | InputMessage
