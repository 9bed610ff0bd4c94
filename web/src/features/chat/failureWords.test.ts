import { expect, test } from 'vitest'
import { failureText } from './failureWords'

test('a page that was not found is told in the language of the page', () => {
  expect(failureText('The page was not found (404).', 'ru')).toBe('Страница не найдена (404).')
  expect(failureText('The page could not be shown: the site has an error (503).', 'ru')).toBe(
    'Страница не показана: ошибка на сайте (503).',
  )
  expect(failureText('The page was not found (404).', 'en')).toBe('The page was not found (404).')
  expect(failureText('Something else.', 'ru')).toBe('Something else.')
})
