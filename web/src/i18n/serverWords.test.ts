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
  expect(serverWords('The name a.example is not known.', 'ru')).toBe('Имя a.example не найдено.')
  expect(
    serverWords(
      'Blocked by Pilothouse: a.example is not opened, the host is on the list of blocked hosts.',
      'ru',
    ),
  ).toBe('Pilothouse не открывает a.example: сайт в списке запрещённых.')
  expect(serverWords('The page could not be opened: there is no site with this name.', 'ru')).toBe(
    'Страницу не удалось открыть: сайта с таким именем нет.',
  )
  expect(serverWords('google:b failed (rate limited): openai:a answers for it.', 'ru')).toBe(
    'google:b не отвечает (слишком много запросов): вместо неё отвечает openai:a.',
  )
  expect(serverWords('Scrolled down by 600 pixels.', 'ru')).toBe('Прокручено вниз на 600 пикс.')
  expect(serverWords('Scrolled down by 600.', 'ru')).toBe('Прокручено вниз на 600.')
  expect(serverWords('The page was not found (404).', 'en')).toBe('The page was not found (404).')
  expect(serverWords('Words of a page, 3 of them.', 'ru')).toBe('Words of a page, 3 of them.')
})

test('what a step did is told by sentence and element; what the page says stays', async () => {
  await loadLanguage('ru')
  const told: [string, string][] = [
    ['Clicked button "Place order".', 'Нажато: кнопка «Place order».'],
    [
      'Clicked link "A. B". The page was not found (404).',
      'Нажато: ссылка «A. B». Страница не найдена (404).',
    ],
    [
      'Typed into textbox "Name", textbox "City, or "X"". Pressed Enter.',
      'Введено: поле «Name», поле «City, or "X"». Нажата клавиша Enter.',
    ],
    ['Dragged a link without a name to the point 3, 4.', 'Перетащено: ссылка без названия → точка 3, 4.'],
    ['Waited 1.5 s.', 'Ожидание: 1,5 с.'],
    [
      'Held before it was sent: new orders to a.example (item).',
      'Остановлено до отправки: new orders to a.example (item).',
    ],
    [
      'Sent POST a.example/o 201. Clicked button "Go". Thank you! Accepted.',
      'Отправлено: POST a.example/o 201. Нажато: кнопка «Go». Thank you! Accepted.',
    ],
    ['Clicked the sky.', 'Clicked the sky.'],
    [`${'Words of a page. '.repeat(200)}Accepted.`, `${'Words of a page. '.repeat(200)}Accepted.`],
  ]
  for (const [english, russian] of told) expect(serverWords(english, 'ru')).toBe(russian)
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
  expect(stepWords('Scrolled down', t)).toBe('Прокрутил вниз')
  expect(stepWords('something_else 1', t)).toBe('something_else 1')
})
