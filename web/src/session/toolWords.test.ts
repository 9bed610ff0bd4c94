// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { loadLanguage, translatorOf } from '@/i18n'
import { toolWords } from './toolWords'

test('a direction is a word of the language, not a sign, and not quoted', async () => {
  await loadLanguage('ru')
  const scroll = { name: 'scroll', args: { direction: 'down', amount: 600 } }
  expect(toolWords(scroll, translatorOf('en'))).toMatchObject({ object: 'down', isOwn: true })
  expect(toolWords(scroll, translatorOf('ru'))).toMatchObject({ object: 'вниз', isOwn: true })
})

test('what was looked for says more than the direction', () => {
  const scroll = { name: 'scroll', args: { direction: 'down', query: 'Imprint' } }
  expect(toolWords(scroll, translatorOf('en'))).toMatchObject({ object: 'Imprint', isOwn: false })
})
