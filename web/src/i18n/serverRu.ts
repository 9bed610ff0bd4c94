/** What the server refuses and how runs fail, in Russian, by its English sentence. `{n}` stands for the sentence's number.
 *  With `templatesRu.ts` and `resultsRu.ts` the same as `wording/russian.py`, and what this page says of the server itself. */
export const REFUSALS: Record<string, string> = {
  'The page could not be opened.': 'Страницу не удалось открыть.',
  'The page could not be opened: there is no site with this name.':
    'Страницу не удалось открыть: сайта с таким именем нет.',
  'The page could not be opened: the site did not answer in time.':
    'Страницу не удалось открыть: сайт не ответил вовремя.',
  'The page could not be opened: there is no network.': 'Страницу не удалось открыть: нет сети.',
  'The page could not be opened: the site cannot be reached.':
    'Страницу не удалось открыть: сайт недоступен.',
  'The page could not be opened: no secure connection to the site can be made.':
    'Страницу не удалось открыть: с сайтом нет защищённого соединения.',
  'The page could not be opened: the site forwards without end.':
    'Страницу не удалось открыть: сайт без конца перенаправляет.',
  'The page could not be opened: the connection to the site broke off.':
    'Страницу не удалось открыть: связь с сайтом прервалась.',
  'The page could not be opened: the site did not answer with a page.':
    'Страницу не удалось открыть: сайт ответил не страницей.',
  'The page could not be opened: loading was stopped.': 'Страницу не удалось открыть: загрузка остановлена.',
  'The page could not be opened: the browser blocked it.':
    'Страницу не удалось открыть: браузер её заблокировал.',
  'The page could not be opened: browsers do not open this port.':
    'Страницу не удалось открыть: браузеры не открывают этот порт.',
  'The page could not be opened: the address is not valid.': 'Страницу не удалось открыть: неверный адрес.',
  'The page needs a login ({n}).': 'Странице нужен вход ({n}).',
  'The page was refused ({n}).': 'В доступе к странице отказано ({n}).',
  'The page was not found ({n}).': 'Страница не найдена ({n}).',
  'The page does not exist any more ({n}).': 'Страницы больше нет ({n}).',
  'The page was refused: too many requests ({n}).': 'В доступе отказано: слишком много запросов ({n}).',
  'The page could not be shown: the site has an error ({n}).': 'Страница не показана: ошибка на сайте ({n}).',
  'The page was not shown ({n}).': 'Страница не показана ({n}).',
  'Not done within {n} s: something else on the page covers it, such as a banner or a menu.':
    'Не удалось за {n} с: элемент чем-то закрыт, например баннером или меню.',
  'Not done within {n} s: it has no such option.': 'Не удалось за {n} с: такого варианта в списке нет.',
  'Not done within {n} s: it does not stop moving.': 'Не удалось за {n} с: элемент всё время движется.',
  'Not done within {n} s: it is read-only.': 'Не удалось за {n} с: поле доступно только для чтения.',
  'Not done within {n} s: it is disabled.': 'Не удалось за {n} с: элемент неактивен.',
  'Not done within {n} s: it is hidden.': 'Не удалось за {n} с: элемент скрыт.',
  'Not done within {n} s: it cannot be scrolled into view.':
    'Не удалось за {n} с: элемент нельзя прокрутить в видимую область.',
  'Timeout {n}ms exceeded.': 'За {n} мс ничего не произошло.',
  'The page kept going to other sites while it was looked at: nothing on it could be read. Wait, or open another.':
    'Страница всё время переходила на другие сайты, прочитать её не удалось.',
  'The page made the answer of the browser tools too long to be read: whether this action happened is not known.':
    'Страница слишком велика, прочитать её не удалось: неизвестно, выполнено ли действие.',
  'A person has the browser now: nothing was done.': 'Браузером сейчас управляет человек: ничего не сделано.',
  'The browser tools broke off during this action: it may or may not have happened. Look at the page before going on.':
    'Связь с браузером прервалась: неизвестно, выполнено ли действие.',
  'The browser ended during this action: it may or may not have happened.':
    'Браузер закрылся: неизвестно, выполнено ли действие.',
  'address: It begins with http:// or https://.': 'Адрес начинается с http:// или https://.',
  'If the page opened a picker of its own, only the person can choose a file there: hand over to them.':
    'Если страница открыла своё окно выбора, файл там может выбрать только человек.',
  'The page has that text, but does not show it here.': 'Этот текст на странице есть, но здесь его не видно.',
  'It does not stop moving, and was not hit: nothing was pressed.':
    'Элемент всё время движется, попасть не удалось: ничего не нажато.',
  'Something else is at this point now: nothing was done. Look again.':
    'В этом месте теперь другой элемент: ничего не сделано.',
  'Task cancelled': 'Задача остановлена',
  'Interrupted by a restart of the server.': 'Прервано перезапуском сервера.',
  'The time limit of this run is reached.': 'Время этого запуска истекло.',
  'Something went wrong inside the service. Its log has the details.':
    'Внутренняя ошибка сервиса, подробности в его журнале.',
  'The database was away for too long.': 'База данных слишком долго не отвечала.',
  'The token budget of this run is used up.': 'Бюджет токенов этого запуска исчерпан.',
  'The cost budget of this run is used up.': 'Бюджет стоимости этого запуска исчерпан.',
  'The model provider cannot be reached or is overloaded. Try again in a moment.':
    'Провайдер модели недоступен или перегружен. Повторите чуть позже.',
  'The model provider limits how often it may be asked. Wait a little, then try again.':
    'Провайдер модели ограничивает частоту запросов. Подождите немного и повторите.',
  'The account at the model provider has no credit or quota left. Check its billing page.':
    'На счёте у провайдера модели закончились средства или квота. Проверьте страницу оплаты.',
  'The model took too long to answer. Try again, choose a faster model or raise MODEL_TIMEOUT.':
    'Модель слишком долго отвечала. Повторите, выберите модель быстрее или увеличьте MODEL_TIMEOUT.',
  'The connection to the model broke off in the middle of its answer. Try again.':
    'Связь с моделью прервалась посреди ответа. Повторите.',
  "The model's answer could not be understood. Try again or choose another model.":
    'Ответ модели не удалось разобрать. Повторите или выберите другую модель.',
  'The model provider refused the key. Check the key of this provider and what it may use.':
    'Провайдер модели не принял ключ. Проверьте ключ и его права.',
  'This conversation has grown too long for the model. Start a new session or choose a model with a larger context.':
    'Разговор стал слишком длинным для модели. Начните новую сессию или выберите модель с большим контекстом.',
  "The model provider's content filter stopped the answer. Word the task differently.":
    'Ответ остановил фильтр провайдера модели. Сформулируйте задачу иначе.',
  'The answer grew past its limit. Ask for less at once, or raise MODEL_MAX_TOKENS.':
    'Ответ превысил предел длины. Просите меньше за раз или увеличьте MODEL_MAX_TOKENS.',
  "The model provider refused the request. Check that the model's name is right and can use tools.":
    'Провайдер модели отклонил запрос. Проверьте имя модели и умеет ли она работать с инструментами.',
  'This request is too long for the model. Shorten the message or choose a model with a larger context.':
    'Этот запрос слишком длинный для модели. Сократите сообщение или выберите модель с большим контекстом.',
  "The model's address redirects to another one, which gets no requests. Set that address itself.":
    'Адрес модели перенаправляет на другой, запросы туда не отправляются. Укажите сразу тот адрес.',
  "The model's address is one that is never used, such as of a cloud's metadata service.":
    'По такому адресу модель не запрашивается: он служебный, например метаданные облака.',
  'The server there does not answer as Ollama does. For another kind set OPENAI_BASE_URL.':
    'Сервер по этому адресу отвечает не как Ollama. Для сервера другого вида задайте OPENAI_BASE_URL.',
  'The mock model failed, as it was asked to.': 'Модель-макет прервалась, как её и просили.',
  'The browser of this session was closed.': 'Браузер этой сессии закрыт.',
  'The database does not answer.': 'База данных не отвечает.',
  'The database is busy; try again.': 'База данных занята, попробуйте ещё раз.',
  'The disk of the database is full.': 'На диске базы данных нет места.',
  'The database file is damaged: restore a backup.':
    'Файл базы данных повреждён: восстановите резервную копию.',
  'The server may not write into its data folder.': 'Серверу нельзя писать в папку данных.',
  'The disk of the database fails.': 'Диск базы данных неисправен.',
  "The database's file was moved or replaced.": 'Файл базы данных перемещён или заменён.',
  'The server could not start; see its log.': 'Сервер не смог запуститься, подробности в его журнале.',
  'The server is going down.': 'Сервер завершает работу.',
  'There is nothing at this address.': 'По этому адресу ничего нет.',
  'There is no such provider.': 'Такого провайдера нет.',
  'Too many failed logins; wait a moment.': 'Слишком много неудачных попыток входа, подождите.',
  'This request comes from another site.': 'Запрос пришёл с другого сайта.',
  'Log in first.': 'Сначала войдите.',
  'Take the browser over first.': 'Сначала возьмите управление браузером.',
  'Another person has the browser.': 'Браузером управляет другой человек.',
  'Nobody has the browser.': 'Браузером никто не управляет.',
  'A person has the browser.': 'Браузером управляет человек.',
  'A person has the browser; it goes on when they give it back.':
    'Браузером управляет человек, работа продолжится, когда он его вернёт.',
  'The page does not take input now.': 'Страница сейчас не принимает ввод.',
  'The model and the agent can be changed when the run has ended.':
    'Модель и агента можно сменить, когда запуск закончится.',
  'A message may have {n} bytes.': 'В сообщении может быть не больше {n} байт.',
  'The message is empty.': 'Сообщение пустое.',
  'The agent is at work; pause or stop it first.':
    'Агент работает, сначала поставьте его на паузу или остановите.',
  'There is no such run.': 'Такого запуска нет.',
  'This run has no table: its message asked for none.':
    'У этого запуска нет таблицы: в сообщении её не запрашивали.',
  'The working state changed in the meantime; look at it again.':
    'За это время состояние изменилось, посмотрите ещё раз.',
  'There is no such picture.': 'Такого снимка нет.',
  'There is no such file.': 'Такого файла нет.',
  'A file may have {n} MB.': 'Файл может быть не больше {n} МБ.',
  'A session keeps {n} files.': 'В сессии может быть не больше {n} файлов.',
  'There is no such message.': 'Такого сообщения нет.',
  'This message is not queued, or not any more.': 'Этого сообщения уже нет в очереди.',
  'Only a message that begins a task can ask for a table.':
    'Таблицу можно запросить только в сообщении, с которого начинается задача.',
  'Only the last message can be changed.': 'Изменить можно только последнее сообщение.',
  'This session has a run in progress.': 'В этой сессии уже идёт запуск.',
  'There is no such question.': 'Такого вопроса нет.',
  'This question is closed already.': 'Этот вопрос уже закрыт.',
  'There is no such grant.': 'Такого разрешения нет.',
  'This cannot be allowed for longer than one act.': 'Это нельзя разрешить больше чем на одно действие.',
  'The page does not show beyond doubt what this act spends.':
    'По странице нельзя точно сказать, сколько спишет это действие.',
  'This run was not begun by an automation.': 'Этот запуск начат не автоматизацией.',
  'ends_at: This time has passed.': 'ends_at: это время уже прошло.',
  'The automation waits for an answer until before that time.': 'Автоматизация ждёт ответа не так долго.',
  'The table has no such row.': 'В таблице нет такой строки.',
  'The table has no such column.': 'В таблице нет такого столбца.',
  'There is no such channel.': 'Такого канала нет.',
  'This link is not valid, or not any more.': 'Эта ссылка недействительна или уже не действует.',
  'the device does not take messages any more': 'устройство больше не принимает сообщений',
  'There can be {n} channels.': 'Каналов может быть не больше {n}.',
  'There is no such session.': 'Такой сессии нет.',
  'The run queue does not answer.': 'Очередь запусков не отвечает.',
  'This session has no plan yet.': 'В этой сессии ещё нет плана.',
  'There is no proposed plan.': 'Предложенного плана нет.',
  'Facts can be removed when the run has ended.': 'Факты можно удалять, когда запуск закончится.',
  'There is no such fact.': 'Такого факта нет.',
  'This approval has expired; you are asked again.': 'Время на ответ истекло, вас спросят снова.',
  'The run is not paused.': 'Запуск не на паузе.',
  'There is no run in progress.': 'Сейчас ничего не выполняется.',
  'There is no run to cancel.': 'Останавливать нечего.',
  'the address is empty': 'адрес пуст',
  'this is not a complete web address': 'это неполный веб-адрес',
  'the host is on the list of blocked hosts': 'сайт в списке запрещённых',
  'the host is not on the list of allowed hosts': 'сайта нет в списке разрешённых',
  'it belongs to Pilothouse itself': 'он принадлежит самому Pilothouse',
  'the port belongs to Pilothouse itself': 'порт принадлежит самому Pilothouse',
  'link-local and cloud metadata addresses are never opened': 'служебные адреса не открываются никогда',
  'the address is not one of a web server': 'по такому адресу не бывает веб-сервера',
  'private addresses are not opened under this name (see ALLOW_PRIVATE_NETWORK)':
    'под таким именем частные адреса не открываются (см. ALLOW_PRIVATE_NETWORK)',
  'There is no field to type into.': 'Поля для ввода здесь нет.',
  'No dialog is open.': 'Открытого диалога нет.',
  "The automation's budget for one run is used up.": 'Бюджет автоматизации на один запуск исчерпан.',
  'A run is executed with this browser.': 'С этим браузером сейчас выполняется запуск.',
  'The process that has the browser does not answer.': 'Процесс, у которого браузер, не отвечает.',
  'Another process has the browser of this session.': 'Браузер этой сессии у другого процесса.',
  'Another process still uses the browser of this session.':
    'Браузером этой сессии ещё пользуется другой процесс.',
  'Redis does not answer.': 'Redis не отвечает.',
  'This is not the password.': 'Неверный пароль.',
  'This question has no picture.': 'У этого вопроса нет снимка.',
  'There is no such automation.': 'Такой автоматизации нет.',
  'This automation is paused.': 'Эта автоматизация на паузе.',
  'This automation has just been begun or changed; try again.':
    'Эта автоматизация только что запущена или изменена, попробуйте ещё раз.',
  'There can be {n} automations.': 'Автоматизаций может быть не больше {n}.',
  'rule: It is never due again.': 'Правило: срок больше никогда не наступит.',
  'it never falls due': 'срок никогда не наступит',
  'start_url: It begins with https:// or http://.': 'Адрес начинается с https:// или http://.',
  'until: It is within the next {n} days.': 'Отложить можно не больше чем на {n} дней.',
  'a rule has at most {n} characters': 'в правиле не больше {n} символов',
  'a rule has a line like DTSTART:20260105T080000': 'в правиле нужна строка вида DTSTART:20260105T080000',
  'a rule has a line like RRULE:FREQ=DAILY': 'в правиле нужна строка вида RRULE:FREQ=DAILY',
  'a rule has one DTSTART and one RRULE line; the zone is a field of its own':
    'в правиле одна строка DTSTART и одна RRULE, часовой пояс указывается отдельно',
  'the year of DTSTART cannot be right': 'год в DTSTART неверен',
  'RRULE has COUNT or UNTIL, not both': 'в RRULE либо COUNT, либо UNTIL',
  'RRULE cannot be read': 'RRULE не удаётся прочитать',
  'RRULE has parts like FREQ=DAILY, each once': 'RRULE состоит из частей вида FREQ=DAILY, каждая один раз',
  'INTERVAL and COUNT are numbers from 1 to {n}': 'INTERVAL и COUNT — числа от 1 до {n}',
  'due times are at least {n} minutes apart': 'между сроками не меньше {n} минут',
  'a rule of minutes or hours has BYDAY, BYHOUR and BYMINUTE only':
    'в правиле по минутам или часам бывают только BYDAY, BYHOUR и BYMINUTE',
  'quiet hours begin and end at different times': 'тихие часы начинаются и кончаются в разное время',
  'write times like 22:00': 'время пишется так: 22:00',
  'digest: Give `minutes`, or `at` and `zone`.': 'Сводка: укажите минуты или время и часовой пояс.',
  'keys: A device has keys, and nothing else has.': 'Ключи бывают только у устройства.',
  'its address cannot be decrypted any more: set it again':
    'его адрес больше нельзя расшифровать, укажите его заново',
  'the address is not valid': 'адрес неверен',
  "a webhook's address begins with https:// or http://": 'адрес вебхука начинается с https:// или http://',
  'its keys are not those of a push subscription': 'это не ключи подписки на уведомления',
  "this service would reach the server's own desktop only":
    'эта служба показала бы сообщение только на самом сервере',
  'this is not an address that Apprise knows': 'такого адреса Apprise не знает',
  'it did not answer within {n} s': 'ответа не было {n} с',
  'it answered {n}': 'в ответ пришло {n}',
  'currency: Say the currency of the amount, such as EUR.': 'Укажите валюту суммы, например EUR.',
  'site: This is not the name of a site, such as shop.example.': 'Это не имя сайта, например shop.example.',
  'site: It has more than {n} characters.': 'В имени сайта больше {n} символов.',
  'There can be {n} grants.': 'Разрешений может быть не больше {n}.',
  'A grant was used by another act at the same time.':
    'Разрешение в это же время использовало другое действие.',
  "browser_headless: The server's machine has no screen to show a window on.":
    'На машине сервера нет экрана, чтобы показать окно.',
  'two columns have the same name': 'у двух столбцов одинаковое имя',
  'a table may have 1 to {n} rows': 'в таблице может быть от 1 до {n} строк',
  "a column's name has 1 to {n} printable characters": 'в имени столбца от 1 до {n} печатных символов',
  'The browser is closed.': 'Браузер закрыт.',
  'There is no such tab.': 'Такой вкладки нет.',
  'There is no such option.': 'Такого варианта нет.',
  'There is no page before this one.': 'Перед этой страницей других нет.',
  'The page asks something: answer that first.': 'Страница что-то спрашивает, сначала ответьте ей.',
  'List the elements first.': 'Сначала откройте список элементов.',
  'This element is not in the newest list.': 'Этого элемента нет в последнем списке.',
  'This element is gone; list the elements again.': 'Этого элемента больше нет, обновите список.',
  'This element cannot be clicked: it is not shown.': 'На этот элемент нельзя нажать: его не видно.',
  'The server has {n} open streams, which is its limit.':
    'На сервере уже {n} открытых потоков, больше нельзя.',
  'The built-in demo model answers: it follows plain commands, it is no LLM.':
    'Отвечает встроенная демо-модель: она выполняет простые команды, это не LLM.',
  'Mock mode: the model and the browser are scripted.':
    'Режим макета: модель и браузер работают по сценарию.',
  'spends or moves money': 'тратит или переводит деньги',
  'places an order or a booking': 'оформляет заказ или бронь',
  'sends something to other people': 'отправляет что-то другим людям',
  'makes something public': 'делает что-то общедоступным',
  'deletes or overwrites something': 'удаляет или перезаписывает что-то',
  'cancels or ends something that is held': 'отменяет или прекращает то, что уже есть',
  'changes an account, access or a subscription': 'меняет учётную запись, доступ или подписку',
  'makes a binding statement': 'даёт обязывающее согласие',
  'saves or changes something, and its name does not say what':
    'сохраняет или меняет что-то, но по названию не понять что',
  'changes a running system': 'меняет работающую систему',
  'answers a request of other people': 'отвечает на запрос других людей',
  'hands a password, code, card or identity number to the page':
    'передаёт странице пароль, код, номер карты или документа',
  'hands a file to the page': 'передаёт странице файл',
  'may submit something, and its name does not say what':
    'может что-то отправить, но по названию не понять что',
  'acts on a place of the picture, and nothing in the page says what is there':
    'действует в месте на снимке, и страница не говорит, что там',
  'acts on a site that is not allowed': 'действует на сайте, который не разрешён',
  'only http, https and about:blank are opened, not javascript':
    'открываются только http, https и about:blank, но не javascript',
  'The server cannot be reached.': 'Сервер недоступен.',
}
