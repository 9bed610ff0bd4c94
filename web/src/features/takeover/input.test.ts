// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import {
  buttonIn,
  clickCounter,
  isPaste,
  keyMessage,
  modifiersOf,
  mouseMessage,
  pointOn,
  wheelMessage,
} from './input'

const HELD = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false }
const key = (key: string, code: string, held: Partial<typeof HELD> = {}, states: string[] = []) => ({
  ...HELD,
  ...held,
  key,
  code,
  getModifierState: (name: string) => states.includes(name),
})

test('a point on the shown picture is a point of the page, whatever the size', () => {
  const area = { left: 100, top: 50, width: 640, height: 360 }
  expect(pointOn(area, [1280, 720], { clientX: 420, clientY: 230 })).toEqual({ x: 640, y: 360 })
  expect(pointOn(area, [1280, 720], { clientX: 100, clientY: 50 })).toEqual({ x: 0, y: 0 })
})

test('a point beside the picture counts as its edge', () => {
  const area = { left: 0, top: 0, width: 100, height: 100 }
  expect(pointOn(area, [1280, 720], { clientX: -20, clientY: 400 })).toEqual({ x: 0, y: 719 })
})

test('modifiers are the bits of the protocol', () => {
  expect(modifiersOf({ altKey: true, ctrlKey: true, metaKey: true, shiftKey: true })).toBe(15)
  expect(modifiersOf({ ...HELD, shiftKey: true })).toBe(8)
})

test('a letter goes as key and text, a shortcut as key alone', () => {
  expect(keyMessage('down', key('a', 'KeyA'))).toMatchObject({ key: 'a', text: 'a', modifiers: 0 })
  expect(keyMessage('down', key('a', 'KeyA', { ctrlKey: true }))).not.toHaveProperty('text')
  expect(keyMessage('down', key('Tab', 'Tab'))).not.toHaveProperty('text')
  expect(keyMessage('down', key('Enter', 'Enter'))).toMatchObject({ text: '\r' })
  expect(keyMessage('up', key('a', 'KeyA'))).not.toHaveProperty('text')
})

test('what AltGr makes is plain text', () => {
  const at = key('@', 'KeyQ', { altKey: true, ctrlKey: true }, ['AltGraph'])
  expect(keyMessage('down', at)).toMatchObject({ text: '@', modifiers: 0 })
})

test('letters beyond the first plane are one text', () => {
  expect(keyMessage('down', key('𝒳', 'KeyX'))).toMatchObject({ text: '𝒳' })
})

test('Ctrl+V takes the text of this machine, not of the page', () => {
  expect(isPaste(key('v', 'KeyV', { ctrlKey: true }))).toBe(true)
  expect(isPaste(key('v', 'KeyV'))).toBe(false)
})

test('clicks near in time and place are counted, up to three', () => {
  const count = clickCounter()
  const at = { x: 10, y: 10 }
  expect([count(at, 0), count(at, 200), count(at, 400), count(at, 600)]).toEqual([1, 2, 3, 1])
  expect(count({ x: 60, y: 10 }, 700)).toBe(1)
  expect(count({ x: 60, y: 10 }, 5000)).toBe(1)
})

test('a drag names the button that is down', () => {
  expect([buttonIn(0), buttonIn(1), buttonIn(2), buttonIn(4)]).toEqual([-1, 'left', 'right', 'middle'])
  expect(mouseMessage('move', { x: 1, y: 2 }, buttonIn(1), 0, HELD)).toMatchObject({
    button: 'left',
    x: 1,
    y: 2,
  })
})

test('wheels that count in lines are turned into pixels', () => {
  const turn = { deltaX: 0, deltaY: 3, deltaMode: 1 } as WheelEvent
  expect(wheelMessage({ x: 0, y: 0 }, turn)).toMatchObject({ dx: 0, dy: 60 })
})
