/** Sentences with names in them: `{x}`, `{y}` and `{z}` stay as they are, `{why}` is one of the sentences of `serverRu.ts`,
 *  `{t}` and `{u}` are elements of a page, such as `button "Send"`, and `{d}` is a direction. */
export const REFUSAL_TEMPLATES: Record<string, string> = {
  'The name {x} is not known.': 'Имя {x} не найдено.',
  'Blocked by Pilothouse: {x} is not opened, {why}.': 'Pilothouse не открывает {x}: {why}.',
  'Not opened: {x}: addresses are not opened, only http and https.':
    'Не открыто: адреса вида {x}: не открываются, только http и https.',
  'Not opened: {why}.': 'Не открыто: {why}.',
  'There is no such text, also not after scrolling {x}.': 'Такого текста нет и после прокрутки.',
  'Not a file of this session: {x}.': 'Это не файл этой сессии: {x}.',
  'There is no file {x} any more.': 'Файла {x} больше нет.',
  'There is no tab {x}.': 'Вкладки {x} нет.',
  'rule: {why}.': 'Правило: {why}.',
  'quiet: {why}.': 'Тихие часы: {why}.',
  'digest: {why}.': 'Сводка: {why}.',
  'address: {why}.': 'Адрес: {why}.',
  'result_schema: {why}.': 'Таблица: {why}.',
  'RRULE cannot be read ({x})': 'RRULE не удаётся прочитать ({x})',
  'this zone is not known; write it like Europe/Berlin':
    'такой часовой пояс неизвестен, он пишется так: Europe/Berlin',
  '{x} is not a time like 20260105T080000': '{x} — не время вида 20260105T080000',
  '{x} may not be reached: {why}': 'к {x} обращаться нельзя: {why}',
  'it cannot be reached ({x})': 'адрес недоступен ({x})',
  'a column may not be named {x}': 'столбец не может называться {x}',
  'This does not fit the column {x}.': 'Это не подходит к столбцу {x}.',
  'No browser host can be used: {x}.': 'Ни один хост браузеров не отвечает: {x}.',
  'Some of these settings cannot be changed here.': 'Некоторые из этих настроек здесь не меняются.',
  'There is no key for {x}.': 'Нет ключа для {x}.',
  'The stored keys of {x} cannot be read: {why}. Put the file back and start again, or set the keys anew.':
    'Сохранённые ключи ({x}) не читаются: {why}. Верните файл и запустите сервер снова или задайте ключи заново.',
  'Nothing can be stored encrypted: {why}.': 'Зашифровать и сохранить ничего нельзя: {why}.',
  '{x} is not the file that it was stored with': '{x} — не тот файл, с которым они были сохранены',
  '{x} is missing or empty': 'файла {x} нет, или он пуст',
  '{x} does not hold a key': 'в файле {x} нет ключа',
  '{x} cannot be read: {y}': 'файл {x} не читается ({y})',
  '{x} cannot be written: {y}': 'файл {x} не записывается ({y})',
  'The model {x} is not known.': 'Модель {x} неизвестна.',
  'A model is named like {x}.': 'Имя модели выглядит так: {x}.',
  '{x} has no key: set {y} in the environment or in .env and start again, {z}':
    'У {x} нет ключа: задайте {y} или выберите демо-модель.',
  'A session with the id {x} exists already.': 'Сессия {x} уже есть.',
  'There is no element {x} in the newest observation; observe first.':
    'Элемента {x} в последнем снимке страницы нет, посмотрите на неё ещё раз.',
  'The page has changed since {x} was seen; observe again.':
    'Страница изменилась, посмотрите на неё ещё раз.',
  'only http, https and about:blank are opened, not {x}':
    'открываются только http, https и about:blank, но не {x}',
  '{x} is not an allowed site': 'сайт {x} не разрешён',
  'place {x} in the queue for a browser': 'в очереди на браузер, место {x}',
  'It has {x} tokens, and the model takes {y}.': 'В нём токенов: {x}, а модель принимает {y}.',
  'The model is {x}, at {y}.': 'Модель: {x}, адрес: {y}.',
  'The model is {x}.': 'Модель: {x}.',
  'The model {x} failed ({y}): {z} answers for it.': 'Модель {x} не ответила ({y}), вместо неё отвечает {z}.',
  "The model's answer could not be used; asking again ({x} of {y} times).":
    'Ответ модели непригоден, запрос повторяется ({x} из {y}).',
  "The model's server refused how it was asked; asking in another way.":
    'Сервер модели не принял запрос, он задаётся иначе.',
  'Waiting for the first words of {x}.': 'Ожидается начало ответа модели {x}.',
  'The model does not answer; trying again ({x} of {y} tries).':
    'Модель не отвечает, новая попытка (неудачных {x} из {y}).',
}
