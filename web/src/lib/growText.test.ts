// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { growText } from './growText'

test('what grows at its end keeps its text node, and what changes is replaced', () => {
  const code = document.createElement('code')
  growText(code, 'one')
  const node = code.firstChild
  growText(code, 'one two')
  expect(code.firstChild).toBe(node)
  expect(code.textContent).toBe('one two')
  growText(code, 'other')
  expect(code.textContent).toBe('other')
  code.innerHTML = '<b>colour</b>'
  growText(code, 'colour')
  expect(code.innerHTML).toBe('colour')
})
