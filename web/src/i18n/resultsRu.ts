/** What the server says of a step that was done, in Russian: as `serverRu.ts`. */
export const RESULTS: Record<string, string> = {
  done: 'сделано',
  unavailable: 'недоступна',
  'rate limited': 'слишком много запросов',
  'no credit left': 'нет средств на счёте',
  'no answer in time': 'нет ответа вовремя',
  'its answer broke off': 'ответ прервался',
  'key refused': 'ключ не принят',
  'no such model': 'такой модели нет',
  'Opened the page.': 'Страница открыта.',
  'Went back.': 'Возврат на предыдущую страницу.',
  'Accepted.': 'Диалог подтверждён.',
  'Dismissed.': 'Диалог закрыт без подтверждения.',
  'Scrolled to that text.': 'Прокручено до этого текста.',
  'A picture was taken.': 'Снимок сделан.',
  'Sent what was held.': 'Остановленное отправлено.',
  'A picture of the page was taken.': 'Снимок страницы сделан.',
  'Switched to tab {n}.': 'Открыта вкладка {n}.',
  'Waited {n} s.': 'Ожидание: {n} с.',
  'No request was sent.': 'Запросов не отправлено.',
  'What was sent is not known.': 'Что отправлено, неизвестно.',
  'A drag is from element to element, or from point to point.':
    'Перетаскивать можно от элемента к элементу или от точки к точке.',
  'This model cannot see pictures.': 'Эта модель не видит изображений.',
  'The task asks for no table.': 'В задаче таблицу не запрашивали.',
  'The page answered with HTTP status {n}.': 'Страница ответила с кодом HTTP {n}.',
  'The page asked for a file; none was given.': 'Страница запросила файл, файл не передан.',
  'The page asked whether to leave it; it was left.': 'Страница спросила, уйти ли с неё; переход выполнен.',
  'The page showed alerts without end; its tab was closed.':
    'Страница бесконечно показывала сообщения, её вкладка закрыта.',
  'The page is too large to be read whole: only what is in view is shown. Scroll to see more.':
    'Страница слишком велика, видна только её часть. Чтобы увидеть больше, прокрутите.',
  'The page did not finish loading in time. Loading was stopped; look at what is there.':
    'Страница не успела загрузиться, загрузка остановлена.',
  'The page did not answer within {n} s. Loading was stopped.':
    'Страница не ответила за {n} с, загрузка остановлена.',
  'What is on the page could not be read.': 'Содержимое страницы прочитать не удалось.',
  'The page cannot be read now: it does not answer, or shows no text.':
    'Сейчас страницу не прочитать: она не отвечает или на ней нет текста.',
  'The browser was restarted: open pages and what was typed are lost, logins may be too.':
    'Браузер перезапущен: открытые страницы и введённое потеряны, возможно, и входы на сайты.',
  'The browser tools were restarted; the page is still there.':
    'Инструменты браузера перезапущены, страница на месте.',
  'The connection to the browser was lost for a moment; the page is still there.':
    'Связь с браузером ненадолго прерывалась, страница на месте.',
  'The browser had been put to sleep: its pages were loaded again, what was typed may be lost.':
    'Браузер был выгружен: страницы загружены заново, введённое могло пропасть.',
  "The browser's host cannot be reached: another one was started elsewhere, without its pages and without its logins.":
    'Хост браузера недоступен: запущен другой браузер, без прежних страниц и входов на сайты.',
}

export const RESULT_TEMPLATES: Record<string, string> = {
  '{x} failed ({why}): {y} answers for it.': '{x} не отвечает ({why}): вместо неё отвечает {y}.',
  'Clicked {t}.': 'Нажато: {t}.',
  'Double-clicked {t}.': 'Дважды нажато: {t}.',
  'Dragged {t} to {u}.': 'Перетащено: {t} → {u}.',
  'Typed into {t}.': 'Введено: {t}.',
  '{t} takes another form of value, such as 12.5 for a number, 2026-11-21 for a date, 2026-11 for a month or 14:30 for a time.':
    'Значение нужно в другом виде, например 12.5 для числа, 2026-11-21 для даты, 2026-11 для месяца или 14:30 для времени: {t}.',
  '{t} did not ask for a file within {x} s.': 'Файл не запрошен за {x} с: {t}.',
  'Dropped {x} on {t}.': 'Перетащен файл {x}: {t}.',
  '{t} is read-only: nothing was typed. What it holds may be chosen after a click.':
    'Только для чтения, ничего не введено: {t}. Значение, возможно, выбирается после нажатия.',
  'The address is a file, which was downloaded. The page stays.':
    'По адресу файл, он скачан. Страница осталась прежней.',
  'Not found so far, and the page goes on: scroll on with the same query.':
    'Пока не найдено, страница продолжается.',
  'It is not on the page any more: look again.': 'Этого на странице больше нет.',
  '{t} takes no file.': 'Файлов не принимает: {t}.',
  'Not clicked: {why}.': 'Не нажато: {why}.',
  '{why} At this the page closed its tab.': '{why} При этом страница закрыла свою вкладку.',
  'Pressed {x}.': 'Нажата клавиша {x}.',
  'Sent: {x}. Not sent, the page had given it up: {y}.':
    'Отправлено: {x}. Не отправлено, страница отказалась: {y}.',
  'Held before it was sent: {x}.': 'Остановлено до отправки: {x}.',
  'Chose {x} in {t}.': 'Выбрано «{x}»: {t}.',
  '{t} is so already.': 'Уже так и есть: {t}.',
  'Pointed at {t}.': 'Курсор наведён: {t}.',
  'Scrolled {d} by {x} pixels over {t}.': 'Прокручено {d} на {x} пикс.: {t}.',
  'Scrolled {d} by a page.': 'Прокручено {d} на страницу.',
  'Scrolled {d} by {x} pixels.': 'Прокручено {d} на {x} пикс.',
  // In older sessions:
  'Scrolled {d} by {x} over {t}.': 'Прокручено {d} на {x}: {t}.',
  'Scrolled {d} by {x}.': 'Прокручено {d} на {x}.',
  'Gave {x} to {t}.': 'Передан файл {x}: {t}.',
  '{t} did not ask for a file.': 'Файл не запрошен: {t}.',
  'Sent {x}, the same as before.': 'Отправлено {x}, то же, что раньше.',
  'Sent {x}.': 'Отправлено: {x}.',
  'Request refused: {x}.': 'Запрос отклонён: {x}.',
  'Not known whether it arrived: {x}.': 'Неизвестно, дошло ли: {x}.',
  'A new tab was opened: {x}': 'Открылась новая вкладка: {x}',
  'The open {x} dialog was dismissed.': 'Открытый диалог закрыт без ответа.',
  'The page showed an alert: {x}': 'Страница показала сообщение: {x}',
  'The download of {x} did not complete.': 'Загрузка {x} не завершилась.',
  'The download of {x} was dropped: it is too large.': 'Загрузка {x} отменена: файл слишком велик.',
  'The download of {x} was cancelled: a file may have {y} MB.':
    'Загрузка {x} отменена: файл может быть не больше {y} МБ.',
  'Downloaded {x} ({y} bytes) to the files of this session.':
    'Загружен {x} ({y} байт), он в файлах этой сессии.',
  'There is no tool {x}.': 'Инструмента {x} нет.',
  '{x} could not be opened.': 'Не удалось открыть {x}.',
  'This browser server (browser-use) has no tool for {x}.': 'Сервер browser-use этого не умеет.',
}

export const ROLES: Record<string, string> = {
  button: 'кнопка',
  link: 'ссылка',
  textbox: 'поле',
  searchbox: 'поле поиска',
  combobox: 'список',
  listbox: 'список',
  spinbutton: 'поле числа',
  slider: 'ползунок',
  checkbox: 'флажок',
  radio: 'переключатель',
  switch: 'переключатель',
  tab: 'вкладка',
  menuitem: 'пункт меню',
  option: 'вариант',
  file: 'поле файла',
  heading: 'заголовок',
  image: 'изображение',
  img: 'изображение',
  row: 'строка',
  cell: 'ячейка',
  dropzone: 'область для перетаскивания',
}

export const DIRECTIONS = {
  up: 'вверх',
  down: 'вниз',
  left: 'влево',
  right: 'вправо',
}
