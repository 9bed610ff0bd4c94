"""The texts of the command line in Russian, by their English form."""

from __future__ import annotations

TOOLS = {
    "click": "нажатие", "double_click": "двойное нажатие", "drag": "перетаскивание", "type": "ввод",
    "fill_form": "заполнение формы", "navigate": "переход", "launch": "переход", "navigate_back": "назад", "back": "назад",
    "press": "клавиша", "press_key": "клавиша", "select": "выбор", "select_option": "выбор", "hover": "наведение",
    "scroll": "прокрутка", "wait": "ожидание", "wait_for": "ожидание", "screenshot": "снимок",
    "take_screenshot": "снимок", "observe": "осмотр", "snapshot": "осмотр", "get_state": "осмотр", "read": "чтение",
    "read_page": "чтение страницы", "read_file": "чтение файла", "record": "запись в таблицу",
    "focus": "осмотр части страницы", "switch_tab": "вкладка", "tabs": "вкладки", "upload": "файл на страницу",
    "file_upload": "файл на страницу", "dialog": "ответ на диалог", "handle_dialog": "ответ на диалог",
}  # fmt: skip
"""Steps by the names of their tools."""
RUSSIAN = {
    # The conversation
    "/help lists the commands; everything else goes to the agent.": "/help — список команд, всё остальное уходит агенту.",
    "Chat mode: what you write goes to the agent.": "Режим беседы: то, что вы пишете, уходит агенту.",
    "Command mode: the browser is in your hands, no slash needed. /chat talks to the agent.":
        "Режим команд: браузером управляете вы, косая черта не нужна. /chat — вернуться к агенту.",
    "Stopped waiting; the server may still do it.": "Ожидание прервано, но сервер может ещё это сделать.",
    " The run goes on without you; /stop ends it.": " Запуск продолжится без вас, /stop его остановит.",
    "Ctrl-C again leaves.": "Ещё раз Ctrl-C — выход.",
    "launch URL, observe, click EID … /chat talks to the agent": "launch URL, observe, click EID … /chat — вернуться к агенту",
    "answer the question": "ответьте на вопрос",
    "add an instruction": "добавьте указание",
    "what shall I do?": "что нужно сделать?",
    "The run goes on. ": "Запуск продолжается. ",
    "{going}pilothouse chat {session} comes back here.": "{going}Вернуться сюда: pilothouse chat {session}",
    "There is no plan yet.": "Плана ещё нет.",
    "There is no table yet.": "Таблицы ещё нет.",
    "There is no table that could be saved.": "Таблицы, которую можно сохранить, нет.",
    "Your next message asks for this table.": "Следующее сообщение запросит эту таблицу.",
    "Name a file that ends in {endings}.": "Назовите файл с окончанием {endings}.",
    "{path} ({size} bytes)": "{path} ({size} байт)",
    "{path} cannot be written: {why}": "Не удалось записать {path}: {why}",
    "The agent has proposed no other plan.": "Агент не предлагал другого плана.",
    "{name} is the beginning of {n} questions; give the whole reference.":
        "С {name} начинаются несколько вопросов ({n}), укажите номер целиком.",
    "No open question {name}; /inbox lists them.": "Открытого вопроса {name} нет, список: /inbox.",
    "This wants your help: pilothouse chat {session}": "Здесь нужна ваша помощь: pilothouse chat {session}",
    "This wants /yes or /no.": "Ответьте /yes или /no.",
    "This wants /done when you have done it, plain words to go on otherwise, or /stop.":
        "Когда сделаете, напишите /done; можно ответить своими словами или остановить: /stop.",
    "Nothing is waiting for an answer.": "Ответа сейчас ничего не ждёт.",
    "Left as it is.": "Оставлено как есть.",
    "{what}: /yes does it, /no leaves it.": "{what}: /yes — сделать, /no — не делать.",
    "The picture cannot be shown: {why}": "Не удалось показать снимок: {why}",
    "{n} earlier messages; pilothouse export has them all": "ещё {n} сообщений раньше; все есть в pilothouse export",
    "Some of this was missed; the whole answer follows when it is written.":
        "Часть пропущена, ответ целиком появится, когда будет готов.",
    "Paused: /resume goes on.": "Пауза. Продолжить: /resume.",
    "It waits for a person. Answer with: pilothouse chat {session} -m {answer}":
        "Ждёт человека. Ответить: pilothouse chat {session} -m {answer}",
    "The connection is lost; trying again.": "Связь потеряна, соединяемся снова.",
    "Not waiting any more; a run goes on at the server.": "Больше не ждём, запуск на сервере продолжается.",
    "There is nothing to say: the message is empty.": "Сообщение пустое.",
    # The live display
    "waiting for its turn": "ждёт своей очереди", "waiting for you": "ждёт вас", "working": "работает", "running": "работает",
    "queued": "ждёт", "waiting_user": "ждёт вас", "paused": "на паузе", "idle": "свободна", "error": "ошибка",
    "completed": "закончено", "failed": "не удалось", "cancelled": "остановлено", "interrupted": "прервано", "offline": "нет связи",
    " The run goes on without us.": " Запуск продолжается без нас.",
    "⚠ The connection is lost; trying again.{ending}": "⚠ Связь потеряна, соединяемся снова.{ending}",
    "/yes · /no [words]": "/yes · /no [слова]", "/done or words": "/done или ответ словами",
    " · {time} left": " · осталось {time}", "? Waiting for you: ": "? Нужны вы: ",
    "‖ Paused: ": "‖ Пауза: ", " goes on": " продолжит", "thinking  ": "думает  ", "new session": "новая сессия",
    "action {n}/{of}": "действие {n} из {of}", "{n} tokens": "токенов: {n}",
    "{n} s": "{n} с", "{n} min {rest} s": "{n} мин {rest} с", "now": "сейчас",
    "by {n} pixels": "на {n} пикс.",
    "{n} d ago": "{n} дн. назад", "{n} h ago": "{n} ч назад", "{n} min ago": "{n} мин назад",
    # Questions, steps, plan
    "Click": "Нажать", "Double-click": "Дважды нажать", "Type into": "Ввести в", "Fill in": "Заполнить", "Choose in": "Выбрать в",
    "Press": "Нажать клавишу", "Drag": "Перетащить", "Open": "Открыть", "Upload to": "Загрузить файл в",
    "Answer the dialog": "Ответить на диалог", " the {role} ": ": {role} ", "“{text}”": "«{text}»",
    "button": "кнопка", "link": "ссылка", "textbox": "поле", "searchbox": "поле поиска", "combobox": "список", "listbox": "список",
    "checkbox": "флажок", "radio": "переключатель", "switch": "переключатель", "tab": "вкладка", "menuitem": "пункт меню",
    "option": "вариант", "element": "элемент", "clickable": "элемент", "file": "поле файла", "heading": "заголовок",
    "/yes does it · /yes run|session|automation|always allows such here · /no [words] refuses":
        "/yes — сделать · /yes run|session|automation|always — и впредь · /no [слова] — отказать",
    "words": "словами", "answer in words": "ответьте словами",
    "/done when you have done it, or answer in words": "/done, когда сделаете, или ответ словами",
    "May I do this?": "Можно это сделать?", "Your turn": "Ваш ход",
    "act": "действие", "amount": "сумма", "site": "сайт", "sent to": "отправит на", "about to send": "сейчас отправит", "why": "почему", "wanted": "нужно",
    "until": "до", "{clock} ({time} left)": "{clock} (осталось {time})", "{clock} (expired)": "{clock} (истекло)",
    "pay": "тратит или переводит деньги", "order": "оформляет заказ или бронь", "send": "отправляет что-то другим людям",
    "publish": "делает что-то общедоступным", "delete": "удаляет или перезаписывает что-то",
    "end": "отменяет или прекращает то, что уже есть", "account": "меняет учётную запись, доступ или подписку",
    "legal": "даёт обязывающее согласие", "system": "меняет работающую систему", "approve": "отвечает на запрос других людей",
    "credential": "передаёт странице пароль, код, номер карты или документа", "upload": "передаёт странице файл",
    "unknown_submit": "может что-то отправить, но по названию не понять что",
    "Approved": "Разрешено", "Refused": "Отклонено", "Answered": "Отвечено", "Done by you": "Сделано вами",
    "Asked for another plan": "Запрошен другой план", "A question for you": "Вопрос к вам", "done": "готово",
    "! not done  ": "! не выполнено  ", "(this part of an answer was not kept)": "(эта часть ответа не сохранена)",
    "Goes on from the cut answer before": "Продолжение оборванного ответа выше",
    "Answered without the browser": "Ответ дан без браузера",
    "Cut off at the length limit: say continue to go on": "Оборвано на пределе длины: напишите «продолжай»",
    "Cut off, the connection to the model broke: say continue to go on": "Оборвано, связь с моделью прервалась: напишите «продолжай»",
    "Task cancelled": "Задача остановлена",
    "… and {n} more notes": "… и ещё {n} замечаний", "  ▣ picture": "  ▣ снимок", "untitled": "без названия",
    "\n  over it: {text}": "\n  поверх: {text}", "over it: {text} ({kind})": "поверх: {text} ({kind})",
    "a dialog": "диалог", "a cookie notice": "уведомление о cookie", "a request for a permission": "запрос разрешения",
    "a login form": "форма входа", "a check that a person is there": "проверка, что вы не робот",
    "Plan": "План", "The agent suggests another plan": "Агент предлагает другой план", " (blocked)": " (не вышло)",
    "/plan accept uses it, /plan dismiss keeps yours": "/plan accept — принять, /plan dismiss — оставить свой",
    "one step a line · Escape Enter saves · Ctrl-C leaves it as it was":
        "шаг на строку · Escape Enter — сохранить · Ctrl-C — оставить как было",
    "plan ❯ ": "план ❯ ",
    # Tables
    "id": "номер", "title": "название", "agent": "агент", "model": "модель", "changed": "изменена", "operator": "оператор",
    "assistant": "ассистент", "Nothing waits for you.": "Вас ничего не ждёт.",
    "/yes REF [GRANT] does it · /no REF [words] refuses": "/yes REF [GRANT] — сделать · /no REF [слова] — отказать",
    "… and {n} more elements": "… и ещё {n} элементов", "status": "состояние", "goal": "цель", "none yet": "ещё нет",
    "used": "расход", "of it {model}: {used}": "из них {model}: {used}", "fact {n}": "факт {n}", "checked": "отмечено", "expanded": "раскрыто", "selected": "выбрано",
    "filled": "заполнено", "disabled": "неактивно",
    "Alt-Enter begins a new line · Ctrl-C twice leaves, the run goes on · Ctrl-D leaves":
        "Alt-Enter — новая строка · дважды Ctrl-C — выход, запуск продолжается · Ctrl-D — выход",
    "A column is NAME or NAME:TYPE, with one of the types {types}: {part}": "Столбец — это ИМЯ или ИМЯ:ТИП, типы: {types}: {part}",
    "Name the columns of the table, such as: name, price:number": "Назовите столбцы таблицы, например: name, price:number",
    "{path}: not found in what the agent was shown": "{path}: нет в том, что агент видел",
    # Grants
    "not now: ask again at TIME (18:00, the next one) or in 90m or 3h; REF: a question of /inbox":
        "не сейчас: спросить снова в TIME (ближайшие 18:00) или через 90m или 3h; REF: вопрос из /inbox",
    "Put off until {time}": "Отложено до {time}",
    "Nothing is allowed without asking.": "Без вопроса ничего не разрешено.", "for": "на", "kind": "что",
    "limits": "пределы", "run": "запуск", "session": "сессию", "automation": "автоматизацию", "always": "всегда",
    "Taken back: {kind} on {site}": "Отозвано: {kind} на {site}",
    "No single grant {name}; /grants lists them.": "Одного разрешения {name} нет, список: /grants.",
    "Write it as /yes [REF] run|session|automation|always [xCOUNT] [until DATE] [max AMOUNT] [month AMOUNT]":
        "Пишется так: /yes [REF] run|session|automation|always [xЧИСЛО] [until ДАТА] [max СУММА] [month СУММА]",
    # Automations
    "The browser is not handed off any more.": "Браузер больше не передан.",
    "Whoever opens this first has the browser for {n} min: {link}":
        "Кто первым откроет, получит браузер на {n} мин: {link}",
    "There are no automations. /schedule makes one.": "Автоматизаций нет. Создать: /schedule.",
    "It has not run yet.": "Запусков ещё не было.", "name": "название", "next": "следующий раз", "last": "в прошлый раз",
    "when called": "по вызову", "paused ({why})": "на паузе ({why})", "failures": "три неудачи", "budget": "бюджет",
    "needs you": "нужны вы", "stopped": "остановлено", "skipped": "пропущено", "missed": "не состоялось", "waiting": "ждёт",
    " ({n} times)": " (раз: {n})", " · session {id}": " · сессия {id}", "waited for {what}": "ждал ответа: {what}",
    "Deleted: {name}": "Удалено: {name}", "Resumed: {name}": "Продолжено: {name}", "Paused: {name}": "На паузе: {name}",
    "{name} is the beginning of {n} automations; give more of it.": "С {name} начинаются несколько автоматизаций ({n}), укажите больше.",
    "No automation {name}; /automations lists them.": "Автоматизации {name} нет, список: /automations.",
    "{time} is no time of day.": "{time} — не время суток.",
    "Write it as /schedule daily|weekdays|mon,thu|monthly 15|hours 6, a time like 08:00, then the task.":
        "Пишите так: /schedule daily|weekdays|mon,thu|monthly 15|hours 6, время вида 08:00, затем задача.",
    "make a task an automation: daily|weekdays|mon,thu|monthly 15|hours 6, a time, then the task":
        "выполнять задачу по расписанию: daily|weekdays|mon,thu|monthly 15|hours 6, время, затем задача",
    "a link that gives this session's browser to another device for MINUTES (15); 0 ends it":
        "ссылка, по которой браузер этой сессии получит другое устройство на MINUTES минут (15); 0 завершает",
    "your automations, when they are due, and their last outcome": "ваши автоматизации, когда они начнутся и чем кончились в последний раз",
    "run, pause, resume or delete the automation ID of /automations, or list its log; ask-first lets it ask before "
    "it starts (begin-alone ends that), only-changes lets it report only changes (each-run ends that), one-model lets "
    "it never use the second model (two-models ends that)":
        "запустить (run), приостановить (pause), продолжить (resume) или удалить (delete) автоматизацию ID из /automations, "
        "показать её журнал (log); ask-first — спрашивать перед началом (begin-alone отменяет), only-changes — сообщать "
        "только об изменениях (each-run отменяет), one-model — не использовать вторую модель (two-models отменяет)",
    "it asks before it starts": "спрашивает перед началом", "it starts without asking": "начинает без вопроса",
    "it reports only changes": "сообщает только об изменениях", "it reports each run": "сообщает о каждом запуске",
    "it never uses the second model": "не использует вторую модель",
    "it uses the second model where the first one fails": "использует вторую модель, когда первая не отвечает",
    "{n} added": "новых: {n}", "{n} removed": "исчезло: {n}", "{n} changed": "изменилось: {n}",
    "first result": "первый результат", "nothing has changed": "ничего не изменилось",
    "First result: later ones are compared with it": "Первый результат: с ним будут сравниваться следующие",
    "the answer has changed": "ответ изменился", "Since the last run: {what}": "С прошлого запуска: {what}",
    "added": "новая", "removed": "исчезла", "change": "изменение",
    # Before a run begins
    "Start this run?": "Начать этот запуск?", "plan": "план", "allows": "разрешает",
    "nothing without asking": "ничего без вопроса",
    "/yes starts it · /yes 1 2 allows only these · /yes none · /no [words]":
        "/yes — начать · /yes 1 2 разрешает только это · /yes none · /no [слова]",
    "Write it as /yes, /yes none, or /yes 1 3 with the numbers of what is allowed.":
        "Пишите так: /yes, /yes none или /yes 1 3 с номерами того, что разрешено.",
    # Commands
    "chat mode: what you write goes to the agent": "режим беседы: то, что вы пишете, уходит агенту",
    "leave chat mode; in cmd mode, leave": "выйти из режима беседы, в режиме команд — выйти совсем",
    "do what is asked for; GRANT allows such things on this site: run|session|automation|always, then "
    "x3 (how often), until 2026-12-31, max 50, month 200 (amounts); REF: a question of /inbox":
        "сделать то, о чём спрашивают; GRANT разрешает такое на этом сайте: run|session|automation|always, затем "
        "x3 (сколько раз), until 2026-12-31, max 50, month 200 (суммы); REF: вопрос из /inbox",
    "what is allowed without asking, with what was used of it": "что разрешено без вопроса и сколько из этого использовано",
    "take back the grant ID of /grants": "отозвать разрешение ID из /grants",
    "refuse; words tell the agent what to do instead; they may begin with a REF of /inbox":
        "отказать; слова скажут агенту, что сделать вместо этого; могут начинаться с REF из /inbox",
    "you have done what the agent could not": "вы сделали то, чего агент не мог",
    "the open questions of all sessions, the next to expire first": "открытые вопросы всех сессий, сначала те, что скоро истекут",
    "each run of this session shows its plan and asks before it starts; off ends that":
        "каждый запуск этой сессии показывает план и спрашивает перед началом; off отменяет",
    "Runs of this session ask before they start.": "Запуски этой сессии спрашивают перед началом.",
    "Runs of this session start without asking.": "Запуски этой сессии начинаются без вопроса.",
    "end the run": "остановить запуск", "hold the run before its next step": "пауза перед следующим шагом", "go on": "продолжить",
    "show the plan; edit changes it, accept and dismiss answer the agent's proposal of another one":
        "показать план; edit — изменить, accept и dismiss — принять или отклонить другой план агента",
    "show the newest table; with columns (name, price:number) your next message asks for one":
        "показать последнюю таблицу; со столбцами (name, price:number) её запросит следующее сообщение",
    "save the newest table as .csv, .xlsx or .json": "сохранить последнюю таблицу как .csv, .xlsx или .json",
    "goal, plan, facts and usage": "цель, план, факты и расход", "your newest sessions": "последние сессии",
    "open an address in the session's browser": "открыть адрес в браузере сессии",
    "see the page and its elements": "показать страницу и её элементы",
    "click an element of the last observation": "нажать элемент из последнего осмотра",
    "type into an element": "ввести текст в элемент", "scroll the page, AMOUNT in pixels": "прокрутить страницу, AMOUNT в пикселях",
    "let the page go on for MS milliseconds": "подождать MS миллисекунд", "picture the page": "снимок страницы", "this list": "этот список",
    "Did you mean /{name}?": "Возможно, /{name}?", "/help lists the commands.": "Список команд: /help.",
    "There is no command /{name}. {advice} To send such words, begin with a space.":
        "Команды /{name} нет. {advice} Чтобы отправить такие слова, начните с пробела.",
    "{name} is not a command. {advice} /chat talks to the agent.": "{name} — не команда. {advice} /chat — вернуться к агенту.",
    "Write it as {usage}": "Пишется так: {usage}", "{param} is a whole number: {usage}": "{param} — целое число: {usage}",
    # --help
    "Talk to an assistant that works in a real, visible browser.": "Беседа с ассистентом, который работает в настоящем, видимом браузере.",
    "The server's address; by default that of `.env`.": "Адрес сервера; по умолчанию из `.env`.",
    "The server's token; not needed on the machine where the server made its own.":
        "Токен сервера; не нужен на машине, где сервер создал его сам.",
    "Run the server until Ctrl-C. Its settings are read from the environment or `.env`.":
        "Запустить сервер до Ctrl-C. Настройки берутся из переменных окружения или из `.env`.",
    "Open the page in a browser.": "Открыть страницу в браузере.",
    "Bring the schema of the server's database, DATABASE_URL, to this version.":
        "Обновить до этой версии схему базы данных сервера, DATABASE_URL.",
    "Copy everything from one database into another one, such as from SQLite to PostgreSQL.":
        "Скопировать всё из одной базы данных в другую, например из SQLite в PostgreSQL.",
    "An SQLite file, or a URL as in DATABASE_URL.": "Файл SQLite или адрес, как в DATABASE_URL.",
    "The same; a database that is migrated and empty.": "То же; база данных с готовой схемой и пустая.",
    "Run browsers for servers on other machines. Its settings are read from the environment or `.env`.":
        "Запускать браузеры для серверов на других машинах. Настройки берутся из переменных окружения или из `.env`.",
    "Talk to the agent, in a new session or an existing one, also while the web UI shows it.":
        "Беседа с агентом в новой или существующей сессии, в том числе открытой в веб-интерфейсе.",
    "An id, its beginning, or `last`. Without it a new session begins.": "Номер, его начало или `last`. Без него начнётся новая сессия.",
    "An id, its beginning, or `last`.": "Номер, его начало или `last`.",
    "Say this (or do it: /yes, /stop …), show the run, and leave.":
        "Сказать это (или выполнить: /yes, /stop …), показать запуск и выйти.",
    "Print events as lines of JSON.": "Выводить события строками JSON.",
    "With -m: wait until a question is answered elsewhere.": "Вместе с -m: ждать, пока на вопрос ответят в другом месте.",
    "The next message asks for a table: `name, price:number` are its columns.":
        "Следующее сообщение запросит таблицу; её столбцы: `name, price:number`.",
    "Of a new session: operator or assistant.": "Для новой сессии: operator или assistant.",
    "Of a new session, as provider:model.": "Для новой сессии, в виде provider:model.",
    "Of a new session: steps for one request.": "Для новой сессии: число действий на один запрос.",
    "List the sessions, the newest first.": "Список сессий, сначала новые.",
    "Words in titles and messages.": "Слова в названиях и сообщениях.",
    "Those put away.": "Те, что в архиве.",
    "At most so many.": "Не больше стольких.",
    "Print lines of JSON.": "Выводить строки JSON.",
    "Open the web UI, or one session in it, and print its address.": "Открыть веб-интерфейс или сессию в нём и вывести адрес.",
    "Only print the address.": "Только вывести адрес.",
    "Write a session to a file.": "Сохранить сессию в файл.",
    "html holds the pictures too.": "html — вместе со снимками.",
    "A file; without it standard output.": "Файл; без него — стандартный вывод.",
    "Check the server, the login, the database, the browser, the model and the versions.":
        "Проверить сервер, вход, базу данных, браузер, модель и версии.",
    # Errors
    "It is still working: /stop ends the run.": "Он ещё работает, остановить: /stop.",
    "Somebody has taken the browser over; it is free when they hand it back.": "Браузером управляет другой человек, он освободится позже.",
    "No server at {url} ({why}). Is it running? `make run` or `pilothouse serve` starts one; --url or PILOTHOUSE_URL names another.":
        "Сервера по адресу {url} нет ({why}). Он запущен? `make run` или `pilothouse serve` запускают его; другой адрес: --url или PILOTHOUSE_URL.",
    " Is it older than this command line?": " Он старше этой командной строки?",
    "The server answered HTTP {status} and nothing more.{hint}": "Сервер ответил HTTP {status} без пояснений.{hint}",
    "Not logged in at {url}. Give the server's token with --token or AUTH_TOKEN; a server that made one itself keeps it in auth_token "
    "in its data folder.":
        "Вход на {url} не выполнен. Задайте токен сервера: --token или AUTH_TOKEN; сервер, который создал его сам, хранит его в файле "
        "auth_token своей папки данных.",
    "Too many requests: try again in {pause}.": "Слишком много запросов, повторите через {pause}.",
    "{detail} Try again in {pause}.": "{detail} Повторите через {pause}.",
    "The server failed: {detail} (request {id}, see its log).": "Ошибка сервера: {detail} (запрос {id}, см. его журнал).",
    "a moment": "некоторое время",
    # The check of the installation
    "server": "сервер",
    "login": "вход",
    "readiness": "готовность",
    "dialogue": "диалог",
    "browser": "браузер",
    "notice": "замечание",
    "versions": "версии",
    "answers at {address}": "отвечает по адресу {address}",
    "the token is right, but travels in the clear": "токен верен, но передаётся открыто",
    "Put the server behind https.": "Откройте сервер через https.",
    "the token is right": "токен верен",
    "none needed": "не нужен",
    "`pilothouse migrate`, or a start with AUTO_MIGRATE=true, brings the schema to this version; the server's log says more.":
        "Схему обновит `pilothouse migrate` или запуск с AUTO_MIGRATE=true; подробности в журнале сервера.",
    "database reachable and at this version, browser startable": "база данных доступна и этой версии, браузер запускается",
    "Have the proxy allow WebSocket upgrades below /api/ws/.": "Разрешите на прокси WebSocket под /api/ws/.",
    "a WebSocket gets through": "WebSocket проходит",
    "Install what is missing on the server's machine.": "Установите недостающее на машине сервера.",
    "tools offered: {n}": "инструментов: {n}",
    "{name} is not among the models offered": "модели {name} нет среди предлагаемых",
    "Set AGENT_MODEL.": "Задайте AGENT_MODEL.",
    "Give the server a model key, for example ANTHROPIC_API_KEY.": "Дайте серверу ключ модели, например ANTHROPIC_API_KEY.",
    "{name}: rule-based, no language model": "{name}: работает по правилам, это не языковая модель",
    "Set {name} for the server.": "Задайте {name} для сервера.",
    "Look at its settings.": "Проверьте её настройки.",
    "{name} cannot be used yet": "моделью {name} пока нельзя пользоваться",
    "server {there} ({mode} mode), command line {here}, Python {python}":
        "сервер {there} (режим {mode}), командная строка {here}, Python {python}",
    "Bring both to the same version.": "Приведите обе к одной версии.",
    # Addresses, files and answers of the server
    "--json without -m watches a session: name one.": "--json без -m следит за сессией, назовите её.",
    "The output cannot be written: {why}.": "Не удалось записать вывод: {why}.",
    "{url} is not an address of a server; give something like {example}.":
        "{url} — не адрес сервера, нужен вроде {example}.",
    "{url} answers, but not as Pilothouse does.": "{url} отвечает, но это не Pilothouse.",
    "There is no session yet: pilothouse chat begins one.": "Сессий ещё нет, начните: pilothouse chat.",
    "{name} is the beginning of {n} sessions; give more of it.":
        "С {name} начинаются несколько сессий ({n}), укажите больше знаков.",
    "No session {name} at {url}: pilothouse sessions lists them.":
        "Сессии {name} на {url} нет, список: pilothouse sessions.",
    "{url} did not answer in time.": "{url} не ответил вовремя.",
    "{url} sends us on to {target}: give that address with --url.":
        "{url} перенаправляет на {target}: укажите этот адрес в --url.",
    "it lies elsewhere, at {address}": "он лежит в другом месте: {address}",
    "The server's answer is not a stream of events: is there a proxy in between?":
        "Ответ сервера — не поток событий: нет ли между ними прокси?",
    "{url} did not confirm in time; look whether it has happened before you repeat it.":
        "{url} не подтвердил вовремя: прежде чем повторять, посмотрите, не выполнено ли это.",
    "The connection to {url} is lost.": "Связь с {url} потеряна.",
    "{url} lets no WebSocket through (HTTP {status}): is there a proxy in between that does not pass them on?":
        "{url} не пропускает WebSocket (HTTP {status}): нет ли прокси, который их не передаёт?",
    # Moving a database: `server/extras/move/rows.py` has the English texts
    "There is no SQLite file {file}.": "Файла SQLite {file} нет.",
    "{option} is neither a file nor an address such as postgresql://user:password@host/name.":
        "{option} — не файл и не адрес вида postgresql://user:password@host/name.",
    "The database of {option} does not answer: {why}": "База данных {option} не отвечает: {why}",
    "A server uses the database of {option}. Stop it first.": "Базой данных {option} пользуется сервер. Сначала остановите его.",
    "The database of {option} has schema {found}, this version needs {wanted}. Bring it there first: "
    "DATABASE_URL=... pilothouse migrate":
        "Схема базы данных {option}: {found}, этой версии нужна {wanted}. Сначала обновите её: DATABASE_URL=... pilothouse migrate",
    "The database of --to is not empty: {table} has rows. Nothing was changed there.":
        "База данных --to не пуста: в таблице {table} есть строки. Там ничего не изменено.",
    "{n} runs in the database of --from have not ended. Start the server on it once more and stop it, which ends them.":
        "В базе данных --from есть незавершённые запуски ({n}). Запустите на ней сервер ещё раз и остановите: это их завершит.",
    "{table} cannot be stored at --to: {why}. Nothing was changed there.":
        "Таблицу {table} не удалось сохранить в --to: {why}. Там ничего не изменено.",
    "{table} is not the same at --to: {found} of {rows} rows, or other content. Nothing was changed there.":
        "Таблица {table} в --to отличается: строк {found} из {rows} или другое содержимое. Там ничего не изменено.",
    "Stopped. Nothing was changed at --to; begin again when you like.":
        "Остановлено. В --to ничего не изменено, можно начать снова в любое время.",
    "{table}: {rows} of {total}": "{table}: {rows} из {total}",
    "Copied and compared: {rows} rows in {tables} tables. Files stay where they are: start the servers with the "
    "new DATABASE_URL and the same DATA_DIR.":
        "Скопировано и сверено: строк {rows}, таблиц {tables}. Файлы остались на месте: запускайте серверы с новым "
        "DATABASE_URL и прежним DATA_DIR.",
}  # fmt: skip
