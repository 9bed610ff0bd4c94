// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { stepWords } from '@/session/toolWords'
import { loadLanguage, translatorOf } from './index'
import { serverWords } from './serverWords'

test('what the server says is told in the language of the page', async () => {
  await loadLanguage('ru')
  expect(serverWords('The page was not found (404).', 'ru')).toBe('Страница не найдена (404).')
  expect(serverWords('Not done within 5 s: it is disabled.', 'ru')).toBe(
    'Не удалось за 5 с: элемент неактивен.',
  )
  expect(serverWords('The server cannot be reached.', 'ru')).toBe('Сервер недоступен.')
  expect(serverWords('A file may have 25 MB.', 'ru')).toBe('Файл может быть не больше 25 МБ.')
  expect(serverWords('Needs OPENAI_API_KEY.', 'ru')).toBe('Нужно задать OPENAI_API_KEY.')
  expect(serverWords('The name a.example is not known.', 'ru')).toBe('Имя a.example не найдено.')
  expect(
    serverWords(
      'Blocked by Pilothouse: a.example is not opened, the host is on the list of blocked hosts.',
      'ru',
    ),
  ).toBe('Pilothouse не открывает a.example: сайт в списке запрещённых.')
  expect(serverWords('The page was not found (404).', 'en')).toBe('The page was not found (404).')
  expect(serverWords('Words of a page, 3 of them.', 'ru')).toBe('Words of a page, 3 of them.')
})

test('the step that a restart broke off is told in words of the page', async () => {
  await loadLanguage('ru')
  const t = translatorOf('ru')
  const ended =
    'Interrupted by a restart of the server. The last action may or may not have happened: Clicked “Place order”'
  expect(serverWords(ended, 'ru', (step) => stepWords(step, t))).toBe(
    'Прервано перезапуском сервера. Неизвестно, выполнено ли последнее действие: Нажал «Place order»',
  )
  expect(stepWords('Searched the page for “kettle”', t)).toBe('Поискал на странице «kettle»')
  expect(stepWords('something_else 1', t)).toBe('something_else 1')
})
