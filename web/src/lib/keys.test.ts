// @vitest-environment happy-dom
import { fireEvent, renderHook } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { useShortcuts } from './keys'

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
