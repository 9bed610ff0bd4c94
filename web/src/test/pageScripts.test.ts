// @vitest-environment happy-dom
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'

/** A script as the server reads it (`server/browser/scripts/__init__.py`). */
function script<F>(name: string, parts: Record<string, string> = {}): F {
  const file = join(process.cwd(), '../server/browser/scripts', `${name}.js`)
  let source = readFileSync(file, 'utf8').trim().replace(/^;|;$/g, '')
  for (const [word, part] of Object.entries(parts))
    source = source.replaceAll(new RegExp(`\\b${word}\\b`, 'g'), () => part)
  return new Function(`return (${source})`)() as F
}

const WORDS = {
  SECRET_PATTERN: '"passcode"',
  CODE_PATTERN: '"\\\\bcode\\\\b"',
  OPEN_PATTERN: '"post(al)?[ -]?code"',
}
type Groups = (
  all: (css: string) => Element[],
  isSecret: (el: Element) => boolean,
) => { boxes: Element[]; secret: boolean }[]

const groups = () =>
  script<Groups>('box_groups', WORDS)(
    (css) => [...document.querySelectorAll(css)],
    () => false,
  ).map(({ boxes, secret }) => [boxes.length, secret])

beforeEach(() => {
  document.body.innerHTML = ''
  Element.prototype.getBoundingClientRect = () => new DOMRect(0, 0, 40, 40)
})

test('fields are read back with their values, choices and what cannot be chosen', () => {
  document.body.innerHTML = `<input value="12.50"><input type=checkbox checked><input type=password value=x>
    <select multiple><optgroup label=Warm><option selected>Red</option><option disabled>Rust</option></optgroup></select>`
  const fields = [...document.querySelectorAll('input,select')].map((input) => ({ input }))
  Object.assign(globalThis, { pilothouseFields: [...fields, null] })
  const [text, box, password, list, gone] = script<() => Record<string, unknown>[]>('read_fields')()
  expect(text).toMatchObject({ value: '12.50', locked: false })
  expect(box).toEqual({ checked: true })
  expect([password, gone]).toEqual([null, null])
  expect(list).toMatchObject({
    several: true,
    options: [
      { name: 'Red', group: 'Warm', chosen: true, disabled: false },
      { name: 'Rust', group: 'Warm', chosen: false, disabled: true },
    ],
  })
})

test('six boxes of one letter below the word code are one secret control', () => {
  document.body.innerHTML = `<form><p>Enter the code</p>${'<input maxlength=1>'.repeat(6)}</form>`
  expect(groups()).toEqual([[6, true]])
})

test('the boxes of a postal code are one control that is not secret', () => {
  document.body.innerHTML = `<form><p>Postal code</p>${'<input maxlength=1>'.repeat(5)}</form>`
  expect(groups()).toEqual([[5, false]])
})

test('the parts of a date are fields of their own', () => {
  document.body.innerHTML = '<input aria-label=Day maxlength=2><input aria-label=Month maxlength=2>'
  expect(groups()).toEqual([])
})

test('a page weighs more than its limit as soon as that is passed', () => {
  document.body.innerHTML = '<p>word</p>'.repeat(500)
  const weight = (limit: number) => script<() => number>('page_weight', { LIMIT: String(limit) })()
  expect(weight(100_000)).toBeGreaterThan(500)
  expect(weight(10)).toBeGreaterThan(10)
})
