// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { loadLanguage, translatorOf } from '@/i18n'
import type { Pending } from '@/api/types'
import { actionWords, toolWords } from './toolWords'

test('a direction is a word of the language, not a sign, and not quoted', async () => {
  await loadLanguage('ru')
  const scroll = { name: 'scroll', args: { direction: 'down', amount: 600 } }
  expect(toolWords(scroll, translatorOf('en'))).toMatchObject({ object: 'down', isOwn: true })
  expect(toolWords(scroll, translatorOf('ru'))).toMatchObject({ object: 'вниз', isOwn: true })
})

test('the row of the second model is no tool: it has words and an icon of its own', async () => {
  await loadLanguage('ru')
  const row = { name: 'second_model', args: { model: 'openai:a', instead_of: 'google:b', code: 'llm_auth' } }
  const { icon, verb, object } = toolWords(row, translatorOf('ru'))
  expect([translatorOf('ru')(verb!), object]).toEqual(['Отвечает вторая модель', null])
  expect(icon).not.toBe(toolWords({ name: 'unknown', args: {} }, translatorOf('ru')).icon)
})

test('what was looked for says more than the direction', () => {
  const scroll = { name: 'scroll', args: { direction: 'down', query: 'Imprint' } }
  expect(toolWords(scroll, translatorOf('en'))).toMatchObject({ object: 'Imprint', isOwn: false })
})

test('a page that was opened is named by its title, once that is known', () => {
  const opened = { name: 'browser_navigate', args: { url: 'https://mail.example/inbox' } }
  const object = (title: string | null, name = opened.name) =>
    toolWords({ ...opened, name, title }, translatorOf('en')).object
  expect([object(null), object('Mail box'), object('')]).toEqual(['mail.example', 'Mail box', 'mail.example'])
  expect(
    toolWords({ name: 'click', args: { element: 'link "Inbox"' }, title: 'Mail box' }, translatorOf('en')),
  ).toMatchObject({
    object: 'Inbox',
  })
})

test('a click is named by what is clicked, also where the form that it sends is shown', () => {
  const fields = [
    { name: 'Name', value: 'Ada' },
    { name: 'Address', value: '1 Quay Street' },
  ]
  const words = (kind: string) =>
    actionWords(
      { action: { kind, fields }, target: { role: 'button', name: 'Place order' } } as unknown as Pending,
      translatorOf('en'),
    )
  expect(words('click')).toBe('Click “Place order”')
  expect(words('type')).toBe('Fill in the form')
})

test('the card says how a click is done', () => {
  const words = (manner: string) =>
    actionWords(
      { action: { kind: 'click', manner }, target: { role: 'option', name: 'Draft' } } as unknown as Pending,
      translatorOf('en'),
    )
  expect(['', 'right', 'hold', 'ctrl', 'alt'].map(words)).toEqual([
    'Click “Draft”',
    'Right-click “Draft”',
    'Press and hold “Draft”',
    'Ctrl-click “Draft”',
    'Click “Draft”',
  ])
})
