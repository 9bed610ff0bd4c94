// @vitest-environment happy-dom
import { fireEvent, renderHook } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { isOfInputMethod, useShortcuts } from './keys'

afterEach(() => document.body.replaceChildren())

const menu = (state: 'data-open' | 'data-closed') => {
  const popup = document.createElement('div')
  popup.setAttribute('role', 'menu')
  popup.setAttribute(state, '')
  document.body.append(popup)
  return popup
}

test('an open menu keeps the keys of the page back, one that fades out only Escape', () => {
  const pressed: string[] = []
  renderHook(() => {
    useShortcuts({ '?': () => pressed.push('?'), escape: () => pressed.push('escape') })
  })
  const press = () => {
    for (const key of ['?', 'Escape']) fireEvent.keyDown(document.body, { key })
  }
  const open = menu('data-open')
  press()
  expect(pressed).toEqual([])
  open.remove()
  const closed = menu('data-closed')
  press()
  expect(pressed).toEqual(['?'])
  closed.remove()
  press()
  expect(pressed).toEqual(['?', '?', 'escape'])
})

test('a key of an input method is known by its code, also after the composition', () => {
  const key = (fields: object) => ({ keyCode: 13, isComposing: false, ...fields })
  expect(isOfInputMethod(key({}))).toBe(false)
  expect(isOfInputMethod(key({ keyCode: 229 }))).toBe(true)
  expect(isOfInputMethod(key({ isComposing: true }))).toBe(true)
  expect(isOfInputMethod({ keyCode: 13, nativeEvent: { isComposing: true } })).toBe(true)
})
