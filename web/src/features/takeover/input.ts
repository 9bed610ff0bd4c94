import { isMac } from '@/lib/keys'
import type { KeyMessage, MouseButton, MouseMessage, WheelMessage } from './protocol'

/** The bits of the protocol. */
const ALT = 1
const CTRL = 2
const META = 4
const SHIFT = 8

interface Held {
  altKey: boolean
  ctrlKey: boolean
  metaKey: boolean
  shiftKey: boolean
}

/** The page's browser runs on Linux: there Cmd is Ctrl. */
export function modifiersOf({ altKey, ctrlKey, metaKey, shiftKey }: Held): number {
  const meta = isMac ? CTRL : META
  return (altKey ? ALT : 0) | (ctrlKey ? CTRL : 0) | (metaKey ? meta : 0) | (shiftKey ? SHIFT : 0)
}

interface Area {
  left: number
  top: number
  width: number
  height: number
}

export interface Point {
  x: number
  y: number
}

/** A point on the shown picture in CSS pixels of the page; what is outside counts as the edge. */
export function pointOn(
  area: Area,
  viewport: [number, number],
  at: { clientX: number; clientY: number },
): Point {
  const scale = (value: number, size: number, page: number) =>
    Math.round(Math.min(Math.max(value / (size || 1), 0), 1) * (page - 1))
  return {
    x: scale(at.clientX - area.left, area.width, viewport[0]),
    y: scale(at.clientY - area.top, area.height, viewport[1]),
  }
}

const BUTTONS: MouseButton[] = ['left', 'middle', 'right', 'back', 'forward']

export const buttonOf = (button: number): MouseButton => BUTTONS[button] ?? -1

/** The button that is down during a move. */
export const buttonIn = (buttons: number): MouseButton =>
  buttons & 1 ? 'left' : buttons & 2 ? 'right' : buttons & 4 ? 'middle' : -1

export function mouseMessage(
  kind: MouseMessage['kind'],
  point: Point,
  button: MouseButton,
  clicks: number,
  held: Held,
): MouseMessage {
  return { type: 'mouse', kind, ...point, button, clicks, modifiers: modifiersOf(held) }
}

/** Pixels of one line or page, for wheels that do not count in pixels. */
const WHEEL_UNIT = [1, 20, 600]

export function wheelMessage(point: Point, event: WheelEvent): WheelMessage {
  const unit = WHEEL_UNIT[event.deltaMode] ?? 1
  return { type: 'wheel', ...point, dx: Math.round(event.deltaX * unit), dy: Math.round(event.deltaY * unit) }
}

/** Time and distance within which clicks belong together. */
const CLICK_TIME = 450
const CLICK_SLACK = 5

/** Counts double and triple clicks. */
export function clickCounter(): (at: Point, time: number) => number {
  let last = { x: 0, y: 0, time: -Infinity, count: 0 }
  return ({ x, y }, time) => {
    const isNear = Math.abs(x - last.x) <= CLICK_SLACK && Math.abs(y - last.y) <= CLICK_SLACK
    const count = isNear && time - last.time < CLICK_TIME && last.count < 3 ? last.count + 1 : 1
    last = { x, y, time, count }
    return count
  }
}

export const RELEASE_KEY = 'F8'

interface Key extends Held {
  key: string
  code: string
  getModifierState(name: string): boolean
}

export function keyMessage(kind: KeyMessage['kind'], event: Key): KeyMessage {
  // AltGr looks like Ctrl+Alt, and Option like Alt, but what they make is plain text.
  const isOption = isMac && event.altKey && !event.ctrlKey && !event.metaKey
  const isThirdLevel = event.getModifierState('AltGraph') || isOption
  const modifiers = isThirdLevel ? (event.shiftKey ? SHIFT : 0) : modifiersOf(event)
  const message: KeyMessage = { type: 'key', kind, key: event.key, code: event.code, modifiers }
  const text = event.key === 'Enter' ? '\r' : event.key
  const isText = /^[^]$/u.test(text) && (modifiers & (CTRL | META | ALT)) === 0
  return kind === 'down' && isText ? { ...message, text } : message
}

/** Is the page's own paste wanted? Then the text of this machine goes there instead of the browser's. */
export const isPaste = (event: Held & { code: string }): boolean =>
  event.code === 'KeyV' && (event.ctrlKey || event.metaKey) && !event.altKey
