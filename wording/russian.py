"""What the server says itself, in Russian: refusals, failures, results of steps and notes about them. Pure.

It is sent and stored in English, because models read it, too. The web UI has the same in
`web/src/i18n/serverRu.ts`, `templatesRu.ts` and `resultsRu.ts`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from wording.steps import DIRECTIONS, step_in_russian

SENTENCES = {
    "The page could not be opened.": "Страницу не удалось открыть.",
    "The page could not be opened: there is no site with this name.":
        "Страницу не удалось открыть: сайта с таким именем нет.",
    "The page could not be opened: the site did not answer in time.":
        "Страницу не удалось открыть: сайт не ответил вовремя.",
    "The page could not be opened: there is no network.": "Страницу не удалось открыть: нет сети.",
    "The page could not be opened: the site cannot be reached.": "Страницу не удалось открыть: сайт недоступен.",
    "The page could not be opened: no secure connection to the site can be made.":
        "Страницу не удалось открыть: с сайтом нет защищённого соединения.",
    "The page could not be opened: the site forwards without end.":
        "Страницу не удалось открыть: сайт без конца перенаправляет.",
    "The page could not be opened: the connection to the site broke off.":
        "Страницу не удалось открыть: связь с сайтом прервалась.",
    "The page could not be opened: the site did not answer with a page.":
        "Страницу не удалось открыть: сайт ответил не страницей.",
    "The page could not be opened: loading was stopped.": "Страницу не удалось открыть: загрузка остановлена.",
    "The page could not be opened: the browser blocked it.": "Страницу не удалось открыть: браузер её заблокировал.",
    "The page could not be opened: browsers do not open this port.":
        "Страницу не удалось открыть: браузеры не открывают этот порт.",
    "The page could not be opened: the address is not valid.": "Страницу не удалось открыть: неверный адрес.",
    "The page needs a login ({n}).": "Странице нужен вход ({n}).",
    "The page was refused ({n}).": "В доступе к странице отказано ({n}).",
    "The page was not found ({n}).": "Страница не найдена ({n}).",
    "The page does not exist any more ({n}).": "Страницы больше нет ({n}).",
    "The page was refused: too many requests ({n}).": "В доступе отказано: слишком много запросов ({n}).",
    "The page could not be shown: the site has an error ({n}).": "Страница не показана: ошибка на сайте ({n}).",
    "The page was not shown ({n}).": "Страница не показана ({n}).",
    "Not done within {n} s: something else on the page covers it, such as a banner or a menu.":
        "Не удалось за {n} с: элемент чем-то закрыт, например баннером или меню.",
    "Not done within {n} s: it has no such option.": "Не удалось за {n} с: такого варианта в списке нет.",
    "Not done within {n} s: it does not stop moving.": "Не удалось за {n} с: элемент всё время движется.",
    "Not done within {n} s: it is read-only.": "Не удалось за {n} с: поле доступно только для чтения.",
    "Not done within {n} s: it is disabled.": "Не удалось за {n} с: элемент неактивен.",
    "Not done within {n} s: it is hidden.": "Не удалось за {n} с: элемент скрыт.",
    "Not done within {n} s: it cannot be scrolled into view.":
        "Не удалось за {n} с: элемент нельзя прокрутить в видимую область.",
    "Timeout {n}ms exceeded.": "За {n} мс ничего не произошло.",
    "The page kept going to other sites while it was looked at: nothing on it could be read. Wait, or open another.":
        "Страница всё время переходила на другие сайты, прочитать её не удалось.",
    "The page made the answer of the browser tools too long to be read: whether this action happened is not known.":
        "Страница слишком велика, прочитать её не удалось: неизвестно, выполнено ли действие.",
    "A person has the browser now: nothing was done.": "Браузером сейчас управляет человек: ничего не сделано.",
    "The browser tools broke off during this action: it may or may not have happened. Look at the page before going on.":
        "Связь с браузером прервалась: неизвестно, выполнено ли действие.",
    "The browser ended during this action: it may or may not have happened.":
        "Браузер закрылся: неизвестно, выполнено ли действие.",
    "address: It begins with http:// or https://.": "Адрес начинается с http:// или https://.",
    "If the page opened a picker of its own, only the person can choose a file there: hand over to them.":
        "Если страница открыла своё окно выбора, файл там может выбрать только человек.",
    "The page has that text, but does not show it here.": "Этот текст на странице есть, но здесь его не видно.",
    "It does not stop moving, and was not hit: nothing was pressed.":
        "Элемент всё время движется, попасть не удалось: ничего не нажато.",
    "Something else is at this point now: nothing was done. Look again.":
        "В этом месте теперь другой элемент: ничего не сделано.",
    "Task cancelled": "Задача остановлена",
    "Interrupted by a restart of the server.": "Прервано перезапуском сервера.",
    "The time limit of this run is reached.": "Время этого запуска истекло.",
    "Something went wrong inside the service. Its log has the details.":
        "Внутренняя ошибка сервиса, подробности в его журнале.",
    "The database was away for too long.": "База данных слишком долго не отвечала.",
    "The token budget of this run is used up.": "Бюджет токенов этого запуска исчерпан.",
    "The cost budget of this run is used up.": "Бюджет стоимости этого запуска исчерпан.",
    "The model provider cannot be reached or is overloaded. Try again in a moment.":
        "Провайдер модели недоступен или перегружен. Повторите чуть позже.",
    "The model provider limits how often it may be asked. Wait a little, then try again.":
        "Провайдер модели ограничивает частоту запросов. Подождите немного и повторите.",
    "The account at the model provider has no credit or quota left. Check its billing page.":
        "На счёте у провайдера модели закончились средства или квота. Проверьте страницу оплаты.",
    "The model took too long to answer. Try again, choose a faster model or raise MODEL_TIMEOUT.":
        "Модель слишком долго отвечала. Повторите, выберите модель быстрее или увеличьте MODEL_TIMEOUT.",
    "The connection to the model broke off in the middle of its answer. Try again.":
        "Связь с моделью прервалась посреди ответа. Повторите.",
    "The model's answer could not be understood. Try again or choose another model.":
        "Ответ модели не удалось разобрать. Повторите или выберите другую модель.",
    "The model provider refused the key. Check the key of this provider and what it may use.":
        "Провайдер модели не принял ключ. Проверьте ключ и его права.",
    "This conversation has grown too long for the model. Start a new session or choose a model with a larger context.":
        "Разговор стал слишком длинным для модели. Начните новую сессию или выберите модель с большим контекстом.",
    "The model provider's content filter stopped the answer. Word the task differently.":
        "Ответ остановил фильтр провайдера модели. Сформулируйте задачу иначе.",
    "The answer grew past its limit. Ask for less at once, or raise MODEL_MAX_TOKENS.":
        "Ответ превысил предел длины. Просите меньше за раз или увеличьте MODEL_MAX_TOKENS.",
    "The model provider refused the request. Check that the model's name is right and can use tools.":
        "Провайдер модели отклонил запрос. Проверьте имя модели и умеет ли она работать с инструментами.",
    "This request is too long for the model. Shorten the message or choose a model with a larger context.":
        "Этот запрос слишком длинный для модели. Сократите сообщение или выберите модель с большим контекстом.",
    "The model's address redirects to another one, which gets no requests. Set that address itself.":
        "Адрес модели перенаправляет на другой, запросы туда не отправляются. Укажите сразу тот адрес.",
    "The model's address is one that is never used, such as of a cloud's metadata service.":
        "По такому адресу модель не запрашивается: он служебный, например метаданные облака.",
    "The server there does not answer as Ollama does. For another kind set OPENAI_BASE_URL.":
        "Сервер по этому адресу отвечает не как Ollama. Для сервера другого вида задайте OPENAI_BASE_URL.",
    "The mock model failed, as it was asked to.": "Модель-макет прервалась, как её и просили.",
    "The browser of this session was closed.": "Браузер этой сессии закрыт.",
    "The database does not answer.": "База данных не отвечает.",
    "The database is busy; try again.": "База данных занята, попробуйте ещё раз.",
    "The disk of the database is full.": "На диске базы данных нет места.",
    "The database file is damaged: restore a backup.": "Файл базы данных повреждён: восстановите резервную копию.",
    "The server may not write into its data folder.": "Серверу нельзя писать в папку данных.",
    "The disk of the database fails.": "Диск базы данных неисправен.",
    "The database's file was moved or replaced.": "Файл базы данных перемещён или заменён.",
    "The server could not start; see its log.": "Сервер не смог запуститься, подробности в его журнале.",
    "The server is going down.": "Сервер завершает работу.",
    "There is nothing at this address.": "По этому адресу ничего нет.",
    "There is no such provider.": "Такого провайдера нет.",
    "Too many failed logins; wait a moment.": "Слишком много неудачных попыток входа, подождите.",
    "This request comes from another site.": "Запрос пришёл с другого сайта.",
    "Log in first.": "Сначала войдите.",
    "Take the browser over first.": "Сначала возьмите управление браузером.",
    "Another person has the browser.": "Браузером управляет другой человек.",
    "Nobody has the browser.": "Браузером никто не управляет.",
    "A person has the browser.": "Браузером управляет человек.",
    "A person has the browser; it goes on when they give it back.":
        "Браузером управляет человек, работа продолжится, когда он его вернёт.",
    "The page does not take input now.": "Страница сейчас не принимает ввод.",
    "The model and the agent can be changed when the run has ended.":
        "Модель и агента можно сменить, когда запуск закончится.",
    "A message may have {n} bytes.": "В сообщении может быть не больше {n} байт.",
    "The message is empty.": "Сообщение пустое.",
    "The agent is at work; pause or stop it first.": "Агент работает, сначала поставьте его на паузу или остановите.",
    "There is no such run.": "Такого запуска нет.",
    "This run has no table: its message asked for none.": "У этого запуска нет таблицы: в сообщении её не запрашивали.",
    "The working state changed in the meantime; look at it again.":
        "За это время состояние изменилось, посмотрите ещё раз.",
    "There is no such picture.": "Такого снимка нет.",
    "There is no such file.": "Такого файла нет.",
    "A file may have {n} MB.": "Файл может быть не больше {n} МБ.",
    "A session keeps {n} files.": "В сессии может быть не больше {n} файлов.",
    "There is no such message.": "Такого сообщения нет.",
    "This message is not queued, or not any more.": "Этого сообщения уже нет в очереди.",
    "Only a message that begins a task can ask for a table.":
        "Таблицу можно запросить только в сообщении, с которого начинается задача.",
    "Only the last message can be changed.": "Изменить можно только последнее сообщение.",
    "This session has a run in progress.": "В этой сессии уже идёт запуск.",
    "There is no such question.": "Такого вопроса нет.",
    "This question is closed already.": "Этот вопрос уже закрыт.",
    "There is no such grant.": "Такого разрешения нет.",
    "This cannot be allowed for longer than one act.": "Это нельзя разрешить больше чем на одно действие.",
    "The page does not show beyond doubt what this act spends.":
        "По странице нельзя точно сказать, сколько спишет это действие.",
    "This run was not begun by an automation.": "Этот запуск начат не автоматизацией.",
    "ends_at: This time has passed.": "ends_at: это время уже прошло.",
    "The automation waits for an answer until before that time.": "Автоматизация ждёт ответа не так долго.",
    "The table has no such row.": "В таблице нет такой строки.",
    "The table has no such column.": "В таблице нет такого столбца.",
    "There is no such channel.": "Такого канала нет.",
    "This link is not valid, or not any more.": "Эта ссылка недействительна или уже не действует.",
    "the device does not take messages any more": "устройство больше не принимает сообщений",
    "There can be {n} channels.": "Каналов может быть не больше {n}.",
    "There is no such session.": "Такой сессии нет.",
    "The run queue does not answer.": "Очередь запусков не отвечает.",
    "This session has no plan yet.": "В этой сессии ещё нет плана.",
    "There is no proposed plan.": "Предложенного плана нет.",
    "Facts can be removed when the run has ended.": "Факты можно удалять, когда запуск закончится.",
    "There is no such fact.": "Такого факта нет.",
    "This approval has expired; you are asked again.": "Время на ответ истекло, вас спросят снова.",
    "The run is not paused.": "Запуск не на паузе.",
    "There is no run in progress.": "Сейчас ничего не выполняется.",
    "There is no run to cancel.": "Останавливать нечего.",
    "the address is empty": "адрес пуст",
    "this is not a complete web address": "это неполный веб-адрес",
    "the host is on the list of blocked hosts": "сайт в списке запрещённых",
    "the host is not on the list of allowed hosts": "сайта нет в списке разрешённых",
    "it belongs to Pilothouse itself": "он принадлежит самому Pilothouse",
    "the port belongs to Pilothouse itself": "порт принадлежит самому Pilothouse",
    "link-local and cloud metadata addresses are never opened": "служебные адреса не открываются никогда",
    "the address is not one of a web server": "по такому адресу не бывает веб-сервера",
    "private addresses are not opened under this name (see ALLOW_PRIVATE_NETWORK)":
        "под таким именем частные адреса не открываются (см. ALLOW_PRIVATE_NETWORK)",
    "There is no field to type into.": "Поля для ввода здесь нет.",
    "No dialog is open.": "Открытого диалога нет.",
    "The automation's budget for one run is used up.": "Бюджет автоматизации на один запуск исчерпан.",
    "A run is executed with this browser.": "С этим браузером сейчас выполняется запуск.",
    "The process that has the browser does not answer.": "Процесс, у которого браузер, не отвечает.",
    "Another process has the browser of this session.": "Браузер этой сессии у другого процесса.",
    "Another process still uses the browser of this session.": "Браузером этой сессии ещё пользуется другой процесс.",
    "Redis does not answer.": "Redis не отвечает.",
    "This is not the password.": "Неверный пароль.",
    "This question has no picture.": "У этого вопроса нет снимка.",
    "There is no such automation.": "Такой автоматизации нет.",
    "This automation is paused.": "Эта автоматизация на паузе.",
    "This automation has just been begun or changed; try again.":
        "Эта автоматизация только что запущена или изменена, попробуйте ещё раз.",
    "There can be {n} automations.": "Автоматизаций может быть не больше {n}.",
    "rule: It is never due again.": "Правило: срок больше никогда не наступит.",
    "it never falls due": "срок никогда не наступит",
    "start_url: It begins with https:// or http://.": "Адрес начинается с https:// или http://.",
    "until: It is within the next {n} days.": "Отложить можно не больше чем на {n} дней.",
    "a rule has at most {n} characters": "в правиле не больше {n} символов",
    "a rule has a line like DTSTART:20260105T080000": "в правиле нужна строка вида DTSTART:20260105T080000",
    "a rule has a line like RRULE:FREQ=DAILY": "в правиле нужна строка вида RRULE:FREQ=DAILY",
    "a rule has one DTSTART and one RRULE line; the zone is a field of its own":
        "в правиле одна строка DTSTART и одна RRULE, часовой пояс указывается отдельно",
    "the year of DTSTART cannot be right": "год в DTSTART неверен",
    "RRULE has COUNT or UNTIL, not both": "в RRULE либо COUNT, либо UNTIL",
    "RRULE cannot be read": "RRULE не удаётся прочитать",
    "RRULE has parts like FREQ=DAILY, each once": "RRULE состоит из частей вида FREQ=DAILY, каждая один раз",
    "INTERVAL and COUNT are numbers from 1 to {n}": "INTERVAL и COUNT — числа от 1 до {n}",
    "due times are at least {n} minutes apart": "между сроками не меньше {n} минут",
    "a rule of minutes or hours has BYDAY, BYHOUR and BYMINUTE only":
        "в правиле по минутам или часам бывают только BYDAY, BYHOUR и BYMINUTE",
    "quiet hours begin and end at different times": "тихие часы начинаются и кончаются в разное время",
    "write times like 22:00": "время пишется так: 22:00",
    "digest: Give `minutes`, or `at` and `zone`.": "Сводка: укажите минуты или время и часовой пояс.",
    "keys: A device has keys, and nothing else has.": "Ключи бывают только у устройства.",
    "its address cannot be decrypted any more: set it again":
        "его адрес больше нельзя расшифровать, укажите его заново",
    "the address is not valid": "адрес неверен",
    "a webhook's address begins with https:// or http://": "адрес вебхука начинается с https:// или http://",
    "its keys are not those of a push subscription": "это не ключи подписки на уведомления",
    "this service would reach the server's own desktop only":
        "эта служба показала бы сообщение только на самом сервере",
    "this is not an address that Apprise knows": "такого адреса Apprise не знает",
    "it did not answer within {n} s": "ответа не было {n} с",
    "it answered {n}": "в ответ пришло {n}",
    "currency: Say the currency of the amount, such as EUR.": "Укажите валюту суммы, например EUR.",
    "site: This is not the name of a site, such as shop.example.": "Это не имя сайта, например shop.example.",
    "site: It has more than {n} characters.": "В имени сайта больше {n} символов.",
    "There can be {n} grants.": "Разрешений может быть не больше {n}.",
    "A grant was used by another act at the same time.": "Разрешение в это же время использовало другое действие.",
    "browser_headless: The server's machine has no screen to show a window on.":
        "На машине сервера нет экрана, чтобы показать окно.",
    "two columns have the same name": "у двух столбцов одинаковое имя",
    "a table may have 1 to {n} rows": "в таблице может быть от 1 до {n} строк",
    "a column's name has 1 to {n} printable characters": "в имени столбца от 1 до {n} печатных символов",
    "The browser is closed.": "Браузер закрыт.",
    "There is no such tab.": "Такой вкладки нет.",
    "There is no such option.": "Такого варианта нет.",
    "There is no page before this one.": "Перед этой страницей других нет.",
    "The page asks something: answer that first.": "Страница что-то спрашивает, сначала ответьте ей.",
    "List the elements first.": "Сначала откройте список элементов.",
    "This element is not in the newest list.": "Этого элемента нет в последнем списке.",
    "This element is gone; list the elements again.": "Этого элемента больше нет, обновите список.",
    "This element cannot be clicked: it is not shown.": "На этот элемент нельзя нажать: его не видно.",
    "The server has {n} open streams, which is its limit.": "На сервере уже {n} открытых потоков, больше нельзя.",
    "The built-in demo model answers: it follows plain commands, it is no LLM.":
        "Отвечает встроенная демо-модель: она выполняет простые команды, это не LLM.",
    "Mock mode: the model and the browser are scripted.": "Режим макета: модель и браузер работают по сценарию.",
    "spends or moves money": "тратит или переводит деньги",
    "places an order or a booking": "оформляет заказ или бронь",
    "sends something to other people": "отправляет что-то другим людям",
    "makes something public": "делает что-то общедоступным",
    "deletes or overwrites something": "удаляет или перезаписывает что-то",
    "cancels or ends something that is held": "отменяет или прекращает то, что уже есть",
    "changes an account, access or a subscription": "меняет учётную запись, доступ или подписку",
    "makes a binding statement": "даёт обязывающее согласие",
    "saves or changes something, and its name does not say what": "сохраняет или меняет что-то, но по названию не понять что",
    "changes a running system": "меняет работающую систему",
    "answers a request of other people": "отвечает на запрос других людей",
    "hands a password, code, card or identity number to the page": "передаёт странице пароль, код, номер карты или документа",
    "hands a file to the page": "передаёт странице файл",
    "may submit something, and its name does not say what": "может что-то отправить, но по названию не понять что",
    "acts on a place of the picture, and nothing in the page says what is there": "действует в месте на снимке, и страница не говорит, что там",
    "acts on a site that is not allowed": "действует на сайте, который не разрешён",
    "only http, https and about:blank are opened, not javascript": "открываются только http, https и about:blank, но не javascript",
    "done": "сделано",
    "unavailable": "недоступна",
    "rate limited": "слишком много запросов",
    "no credit left": "нет средств на счёте",
    "no answer in time": "нет ответа вовремя",
    "its answer broke off": "ответ прервался",
    "key refused": "ключ не принят",
    "no such model": "такой модели нет",
    "Opened the page.": "Страница открыта.",
    "Went back.": "Возврат на предыдущую страницу.",
    "Accepted.": "Диалог подтверждён.",
    "Dismissed.": "Диалог закрыт без подтверждения.",
    "Scrolled to that text.": "Прокручено до этого текста.",
    "A picture was taken.": "Снимок сделан.",
    "Sent what was held.": "Остановленное отправлено.",
    "A picture of the page was taken.": "Снимок страницы сделан.",
    "Switched to tab {n}.": "Открыта вкладка {n}.",
    "Waited {n} s.": "Ожидание: {n} с.",
    "No request was sent.": "Запросов не отправлено.",
    "What was sent is not known.": "Что отправлено, неизвестно.",
    "A drag is from element to element, or from point to point.":
        "Перетаскивать можно от элемента к элементу или от точки к точке.",
    "This model cannot see pictures.": "Эта модель не видит изображений.",
    "The task asks for no table.": "В задаче таблицу не запрашивали.",
    "The page answered with HTTP status {n}.": "Страница ответила с кодом HTTP {n}.",
    "The page asked for a file; none was given.": "Страница запросила файл, файл не передан.",
    "The page asked whether to leave it; it was left.": "Страница спросила, уйти ли с неё; переход выполнен.",
    "The page showed alerts without end; its tab was closed.":
        "Страница бесконечно показывала сообщения, её вкладка закрыта.",
    "The page is too large to be read whole: only what is in view is shown. Scroll to see more.":
        "Страница слишком велика, видна только её часть. Чтобы увидеть больше, прокрутите.",
    "The page did not finish loading in time. Loading was stopped; look at what is there.":
        "Страница не успела загрузиться, загрузка остановлена.",
    "The page did not answer within {n} s. Loading was stopped.":
        "Страница не ответила за {n} с, загрузка остановлена.",
    "What is on the page could not be read.": "Содержимое страницы прочитать не удалось.",
    "The page cannot be read now: it does not answer, or shows no text.":
        "Сейчас страницу не прочитать: она не отвечает или на ней нет текста.",
    "The browser was restarted: open pages and what was typed are lost, logins may be too.":
        "Браузер перезапущен: открытые страницы и введённое потеряны, возможно, и входы на сайты.",
    "The browser tools were restarted; the page is still there.":
        "Инструменты браузера перезапущены, страница на месте.",
    "The connection to the browser was lost for a moment; the page is still there.":
        "Связь с браузером ненадолго прерывалась, страница на месте.",
    "The browser had been put to sleep: its pages were loaded again, what was typed may be lost.":
        "Браузер был выгружен: страницы загружены заново, введённое могло пропасть.",
    "The browser's host cannot be reached: another one was started elsewhere, without its pages and without its logins.":
        "Хост браузера недоступен: запущен другой браузер, без прежних страниц и входов на сайты.",
    "this zone is not known; write it like Europe/Berlin":
        "такой часовой пояс неизвестен, он пишется так: Europe/Berlin",
    "Some of these settings cannot be changed here.": "Некоторые из этих настроек здесь не меняются.",
}  # fmt: skip
"""By the English sentence. `{n}` stands for its number."""
TEMPLATES = {
    "The name {x} is not known.": "Имя {x} не найдено.",
    "Blocked by Pilothouse: {x} is not opened, {why}.": "Pilothouse не открывает {x}: {why}.",
    "Not opened: {x}: addresses are not opened, only http and https.":
        "Не открыто: адреса вида {x}: не открываются, только http и https.",
    "Not opened: {why}.": "Не открыто: {why}.",
    "There is no such text, also not after scrolling {x}.": "Такого текста нет и после прокрутки.",
    "Not a file of this session: {x}.": "Это не файл этой сессии: {x}.",
    "There is no file {x} any more.": "Файла {x} больше нет.",
    "There is no tab {x}.": "Вкладки {x} нет.",
    "rule: {why}.": "Правило: {why}.",
    "quiet: {why}.": "Тихие часы: {why}.",
    "digest: {why}.": "Сводка: {why}.",
    "address: {why}.": "Адрес: {why}.",
    "result_schema: {why}.": "Таблица: {why}.",
    "RRULE cannot be read ({x})": "RRULE не удаётся прочитать ({x})",
    "{x} is not a time like 20260105T080000": "{x} — не время вида 20260105T080000",
    "{x} may not be reached: {why}": "к {x} обращаться нельзя: {why}",
    "{x} failed ({why}): {y} answers for it.": "{x} не отвечает ({why}): вместо неё отвечает {y}.",
    "it cannot be reached ({x})": "адрес недоступен ({x})",
    "a column may not be named {x}": "столбец не может называться {x}",
    "This does not fit the column {x}.": "Это не подходит к столбцу {x}.",
    "No browser host can be used: {x}.": "Ни один хост браузеров не отвечает: {x}.",
    "There is no key for {x}.": "Нет ключа для {x}.",
    "The stored keys of {x} cannot be read: {why}. Put the file back and start again, or set the keys anew.":
        "Сохранённые ключи ({x}) не читаются: {why}. Верните файл и запустите сервер снова или задайте ключи заново.",
    "Nothing can be stored encrypted: {why}.": "Зашифровать и сохранить ничего нельзя: {why}.",
    "{x} is not the file that it was stored with": "{x} — не тот файл, с которым они были сохранены",
    "{x} is missing or empty": "файла {x} нет, или он пуст",
    "{x} does not hold a key": "в файле {x} нет ключа",
    "{x} cannot be read: {y}": "файл {x} не читается ({y})",
    "{x} cannot be written: {y}": "файл {x} не записывается ({y})",
    "The model {x} is not known.": "Модель {x} неизвестна.",
    "A model is named like {x}.": "Имя модели выглядит так: {x}.",
    "{x} has no key: set {y} in the environment or in .env and start again, {z}":
        "У {x} нет ключа: задайте {y} или выберите демо-модель.",
    "A session with the id {x} exists already.": "Сессия {x} уже есть.",
    "There is no element {x} in the newest observation; observe first.":
        "Элемента {x} в последнем снимке страницы нет, посмотрите на неё ещё раз.",
    "The page has changed since {x} was seen; observe again.": "Страница изменилась, посмотрите на неё ещё раз.",
    "only http, https and about:blank are opened, not {x}": "открываются только http, https и about:blank, но не {x}",
    "{x} is not an allowed site": "сайт {x} не разрешён",
    "place {x} in the queue for a browser": "в очереди на браузер, место {x}",
    "It has {x} tokens, and the model takes {y}.": "В нём токенов: {x}, а модель принимает {y}.",
    "The model is {x}, at {y}.": "Модель: {x}, адрес: {y}.",
    "The model is {x}.": "Модель: {x}.",
    "The model {x} failed ({y}): {z} answers for it.": "Модель {x} не ответила ({y}), вместо неё отвечает {z}.",
    "The model's answer could not be used; asking again ({x} of {y} times).": "Ответ модели непригоден, запрос повторяется ({x} из {y}).",
    "The model's server refused how it was asked; asking in another way.": "Сервер модели не принял запрос, он задаётся иначе.",
    "Waiting for the first words of {x}.": "Ожидается начало ответа модели {x}.",
    "The model does not answer; trying again ({x} of {y} tries).": "Модель не отвечает, новая попытка (неудачных {x} из {y}).",
    "Clicked {t}.": "Нажато: {t}.",
    "Double-clicked {t}.": "Дважды нажато: {t}.",
    "Dragged {t} to {u}.": "Перетащено: {t} → {u}.",
    "Typed into {t}.": "Введено: {t}.",
    "{t} takes another form of value, such as 12.5 for a number, 2026-11-21 for a date, 2026-11 for a month or 14:30 for a time.":
        "Значение нужно в другом виде, например 12.5 для числа, 2026-11-21 для даты, 2026-11 для месяца или 14:30 для времени: {t}.",
    "{t} takes no file.": "Файлов не принимает: {t}.",
    "Not clicked: {why}.": "Не нажато: {why}.",
    "{why} At this the page closed its tab.": "{why} При этом страница закрыла свою вкладку.",
    "Pressed {x}.": "Нажата клавиша {x}.",
    "Sent: {x}. Not sent, the page had given it up: {y}.": "Отправлено: {x}. Не отправлено, страница отказалась: {y}.",
    "Held before it was sent: {x}.": "Остановлено до отправки: {x}.",
    "Chose {x} in {t}.": "Выбрано «{x}»: {t}.",
    "{t} is so already.": "Уже так и есть: {t}.",
    "Pointed at {t}.": "Курсор наведён: {t}.",
    "Scrolled {d} by {x} pixels over {t}.": "Прокручено {d} на {x} пикс.: {t}.",
    "Scrolled {d} by a page.": "Прокручено {d} на страницу.",
    "Scrolled {d} by {x} pixels.": "Прокручено {d} на {x} пикс.",
    "Scrolled {d} by {x} over {t}.": "Прокручено {d} на {x}: {t}.",  # in older sessions
    "Scrolled {d} by {x}.": "Прокручено {d} на {x}.",  # in older sessions
    "Gave {x} to {t}.": "Передан файл {x}: {t}.",
    "{t} did not ask for a file.": "Файл не запрошен: {t}.",
    "{t} did not ask for a file within {x} s.": "Файл не запрошен за {x} с: {t}.",
    "Dropped {x} on {t}.": "Перетащен файл {x}: {t}.",
    "{t} is read-only: nothing was typed. What it holds may be chosen after a click.":
        "Только для чтения, ничего не введено: {t}. Значение, возможно, выбирается после нажатия.",
    "The address is a file, which was downloaded. The page stays.": "По адресу файл, он скачан. Страница осталась прежней.",
    "Not found so far, and the page goes on: scroll on with the same query.": "Пока не найдено, страница продолжается.",
    "It is not on the page any more: look again.": "Этого на странице больше нет.",
    "Sent {x}, the same as before.": "Отправлено {x}, то же, что раньше.",
    "Sent {x}.": "Отправлено: {x}.",
    "Request refused: {x}.": "Запрос отклонён: {x}.",
    "Not known whether it arrived: {x}.": "Неизвестно, дошло ли: {x}.",
    "A new tab was opened: {x}": "Открылась новая вкладка: {x}",
    "The open {x} dialog was dismissed.": "Открытый диалог закрыт без ответа.",
    "The page showed an alert: {x}": "Страница показала сообщение: {x}",
    "The download of {x} did not complete.": "Загрузка {x} не завершилась.",
    "The download of {x} was dropped: it is too large.": "Загрузка {x} отменена: файл слишком велик.",
    "The download of {x} was cancelled: a file may have {y} MB.":
        "Загрузка {x} отменена: файл может быть не больше {y} МБ.",
    "Downloaded {x} ({y} bytes) to the files of this session.": "Загружен {x} ({y} байт), он в файлах этой сессии.",
    "There is no tool {x}.": "Инструмента {x} нет.",
    "{x} could not be opened.": "Не удалось открыть {x}.",
    "This browser server (browser-use) has no tool for {x}.": "Сервер browser-use этого не умеет.",
}  # fmt: skip
"""Sentences with names in them: `{x}`, `{y}` and `{z}` stay as they are, `{why}` is one of the sentences above, and
`{t}` and `{u}` are elements of a page, such as `button "Send"`, and `{d}` is a direction."""
ROLES = {
    "button": "кнопка", "link": "ссылка", "textbox": "поле", "searchbox": "поле поиска",
    "combobox": "список", "listbox": "список", "spinbutton": "поле числа", "slider": "ползунок",
    "checkbox": "флажок", "radio": "переключатель", "switch": "переключатель", "tab": "вкладка",
    "menuitem": "пункт меню", "option": "вариант", "file": "поле файла", "heading": "заголовок",
    "image": "изображение", "img": "изображение", "row": "строка", "cell": "ячейка",
    "dropzone": "область для перетаскивания",
}  # fmt: skip
OTHER_ROLE = "элемент"
_ELEMENT = r'[a-z]+ "[^"\n]*(?:"[^"\n]*)*?"|an? [a-z]+ without a name|the point -?[\d.]+, -?[\d.]+'
_HOLES = {
    "x": ".+?", "y": ".+?", "z": ".+?", "why": ".+", "d": "up|down|left|right",
    "t": f"(?:{_ELEMENT})(?:, (?:{_ELEMENT}))*", "u": _ELEMENT,
}  # fmt: skip
_HOLE = re.compile(r"\\\{(\w+)\\\}")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_DOING = re.compile(r"(.+\.) The last action may or may not have happened: (.+)", re.DOTALL)
_END = re.compile(r"(?<=[.!?])\s+")
MOST_SENTENCES, LONGEST = 12, 2000
"""Of one text. A longer one is what a page says, and is not looked through."""


def in_russian(text: str) -> str:
    """The text in Russian, as far as it begins with sentences of the product; what a page says stays as it is."""
    if found := _DOING.fullmatch(text):
        return (
            f"{in_russian(found[1])} Неизвестно, выполнено ли последнее действие: {step_in_russian(found[2])}"
        )
    if (whole := _by_sentence(text)) or len(text) > LONGEST:
        return whole or text
    for end in [*_END.finditer(text)][:MOST_SENTENCES]:
        if known := _sentence(text[: end.start()]):
            return f"{known}{end[0]}{in_russian(text[end.end() :])}"
    return _sentence(text) or text


def elements_in_russian(elements: str) -> str:
    """Such as `кнопка «Send»` for `button "Send"`, several joined by commas; "" if they are none."""
    if not _ELEMENTS.fullmatch(elements):
        return ""
    return ", ".join(_element_in_russian(one[0]) for one in _NEXT.finditer(elements))


def _element_in_russian(element: str) -> str:
    if element.startswith("the point "):
        return element.replace("the point", "точка", 1)
    role, _, name = element.partition(" ")
    if name.startswith('"'):
        return f"{ROLES.get(role, OTHER_ROLE)} «{name[1:-1]}»"
    return f"{ROLES.get(name.split()[0], OTHER_ROLE)} без названия"


def _sentence(text: str) -> str | None:
    """One sentence of the product in Russian, None if it is none."""
    if known := _by_sentence(text):
        return known
    for pattern, russian in _TEMPLATES:
        if named := pattern.fullmatch(text):
            told = {name: _TOLD.get(name, str)(value) for name, value in named.groupdict().items()}
            return russian.format_map(told)
    return None


def _by_sentence(text: str) -> str | None:
    if text in SENTENCES:
        return SENTENCES[text]
    number = _NUMBER.search(text)
    known = number and SENTENCES.get(text[: number.start()] + "{n}" + text[number.end() :])
    return known.replace("{n}", number[0].replace(".", ",")) if number and known else None


def _pattern(english: str) -> re.Pattern[str]:
    named = _HOLE.sub(lambda hole: f"(?P<{hole[1]}>{_HOLES[hole[1]]})", re.escape(english))
    return re.compile(named, re.DOTALL)


_ELEMENTS, _NEXT = re.compile(_HOLES["t"]), re.compile(f"(?:{_ELEMENT})(?=, |$)")
_TEMPLATES = [(_pattern(english), russian) for english, russian in TEMPLATES.items()]
_TOLD: dict[str, Callable[[str], str]] = {
    "why": in_russian, "d": DIRECTIONS.__getitem__, "t": elements_in_russian, "u": elements_in_russian,
}  # fmt: skip
