"""The demo model's texts, in English and Russian. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from server.agent.language import is_russian
from server.extras.demo.commands import DemoCommand
from server.extras.demo.findings import sentences
from server.extras.demo.page import FIELDS, DemoPage, Thing
from server.text import cut
from wording.element_words import role_words

_TEXT_SHOWN = 600
_THINGS_SHOWN = 12
_OPTIONS_SHOWN = 8

_ENGLISH = {
    "open": "Opened {target}", "back": "Went back", "click": "Clicked {target}", "press": "Pressed {target}",
    "type": "Typed “{text}” into {target}", "select": "Chose “{text}”", "scroll": "Scrolled {target}",
    "hover": "Pointed at {target}", "wait": "Waited {target} s", "screenshot": "Took a screenshot",
    "log_in": "You logged in", "upload": "Uploaded {text}", "upload to": "Uploaded {text} to {target}",
    "to upload": "Upload {text}", "to upload to": "Upload {text} to {target}", "the file": "the file",
    "no file": "{what} takes a file, and none is attached. Attach one to your message.",
    "which file": "Which file? Name one of: {names}.",
    "read": "Read the page", "ask": "Looked for “{text}” on the page",
    "list": "Looked up the {target}", "count": "Counted the {target}",
    "to open": "Open {target}", "to back": "Go back", "to click": "Click {target}", "to press": "Press {target}",
    "to type": "Type “{text}” into {target}", "to select": "Select “{text}”", "to select in": "Select “{text}” in {target}",
    "to scroll": "Scroll {target}", "up": "up", "down": "down", "to hover": "Hover over {target}", "to wait": "Wait {target} s",
    "to screenshot": "Take a screenshot", "to log_in": "Log in", "to read": "Read the page",
    "to ask": "Find “{text}” on the page", "to list": "List the {target}", "to count": "Count the {target}",
    "focused": "the field", "named": "“{name}”", "by number": "the {nth} {role}", "by number and name": "the {nth} “{name}” {role}",
    "of role": "the “{name}” {role}", "the only": "the {role}", "last": "last", "element": "one",
    "button": "button", "link": "link", "tab": "tab", "checkbox": "checkbox", "field": "field",
    "links": "links", "buttons": "buttons", "fields": "fields", "headings": "headings", "rows": "rows", "items": "items", "title": "title",
    "page": "The page is **{title}** ({url}).", "untitled": "The page is {url}.", "says": "It says:",
    "nothing": "It has no text that I can read.", "drawn": "Most of it is drawn, as on a canvas or a map: nothing in the drawing can be read as text.",
    "no page": "No page is open. Tell me which one, such as *open example.com*.",
    "missing": "I found no {what} on the page.", "see": "What I can see there: {things}.", "unnamed": "{role} without a name",
    "form": "It has a form with {n} fields: {fields}.", "form of one": "It has one field: {fields}.", "sends": "It is sent by {buttons}.",
    "failed": "This did not work: {what}. {why}", "refused": "Not done, because you refused it: {what}.",
    "wish": "You wrote: “{text}”. I follow fixed rules and cannot work out what to do for that. Tell me which page to open and what to click there.",
    "left": "Not done: {what}.",
    "found": "On “{page}” I found for “{query}”:", "found one": "On “{page}”:",
    "not all": "On “{page}” nothing has all of “{query}”. The closest, without “{missing}”:",
    "not found": "I did not find “{query}” on “{page}”.", "went on": "The page goes on. Ask me about a word to find it there.",
    "further": "Further sections: {names}.",
    "count of": "“{page}” has {n} {part}.", "count of part": "“{page}” has more than fits my view; I see {n} {part}.",
    "list of": "The {part} of “{page}”:", "list of none": "“{page}” has no {part} that I can see.", "title of": "The title of the page is “{page}”.",
    "more": "and {n} more", "note": "“{query}” on {page}: {text}", "absent": "not found",
    "which": "{n} elements fit {what}:\n\n{things}\n\nWhich one? Answer with its number, or click it yourself in the browser and say “done”.",
    "too few": "This is not on the page: {what}. I see {n} of that kind.",
    "strange": "I did not understand: {what}.", "cannot": "I have no tool for this: {what}.",
    "log_in_please": "Please log in by yourself in the browser, then say “done”.",
    "pause": "I pause here. Done so far: {done}. Shall I go on?", "answer": "Answer", "check": "Look at the result", "check found": "Check what was found",
    "earlier": "earlier page",
    "because": "Step {n} of {of} of the instruction",
    "hello": "Hello! Tell me which page to open and what to do there, for example: *open example.com and read the page*.",
    "hello again": "Hello again! What shall I do next?", "thanks": "You are welcome. Tell me if there is more to do.",
    "praise": "Good. Tell me if there is more to do.", "bye": "Goodbye! This session stays here; you can continue it at any time.",
    "connect": "[Connect a model](/settings/models) for such tasks.",
    "beyond": "The built-in demo cannot do this: it follows plain commands, such as *open example.com and read the page*.",
    "help": (
        "I am the built-in demo and follow plain commands in a real browser, for example:\n\n"
        "- open example.com and read the page\n- what does it say about prices in 2024?\n- how many links are there?\n"
        "- click “More information”, or: click the second link\n- fill Name with “Ada”, select “Large” in Size\n"
        "- add the Tide kettle to the basket, place the order\n- order the cheapest kettle\n- read the table into columns name and price\n"
        "- log in\n- reply to the newest mail with “Thank you”\n- scroll down, go back, take a screenshot\n\n"
        "Join several steps with “then”. [Connect a model](/settings/models) for everything else."
    ),
    "add": "Put {target} into the basket", "order": "Placed the order", "reply": "Replied “{text}” to {target}",
    "to add": "Add {target} to the basket", "to order": "Place the order", "to reply": "Reply to {target} with “{text}”",
    "to table": "Read the table", "to table in": "Read the table into columns {text}", "table": "Read the table", "table in": "Read the table",
    "it": "it", "the mail": "the newest mail", "what to write": "What shall I write? For example: *reply to the newest mail with “Thank you”*.",
    "not confirmed": "The order was sent, and the page does not confirm it: look at the page.",
    "no table": "“{page}” has no table with these columns: {columns}.", "table of": "The table of “{page}” has {n} rows:",
    "other table": "“{page}” has no table with these columns: {columns}. Its headings: {seen}.", "recorded": "The table is filled from “{page}”.",
}  # fmt: skip
_RUSSIAN = {
    "open": "Открыта страница {target}", "back": "Возврат на предыдущую страницу", "click": "Нажатие на {target}", "press": "Нажата клавиша {target}",
    "type": "Введено «{text}» в {target}", "select": "Выбрано «{text}»", "scroll": "Прокручено {target}",
    "hover": "Курсор наведён на {target}", "wait": "Ожидание {target} с", "screenshot": "Сделан снимок экрана",
    "log_in": "Вы вошли", "upload": "Загружен {text}", "upload to": "Загружен {text} в {target}",
    "to upload": "Загрузи {text}", "to upload to": "Загрузи {text} в {target}", "the file": "файл",
    "no file": "{what} принимает файл, но ни один не приложен. Приложите файл к сообщению.",
    "which file": "Какой файл? Назовите один из них: {names}.",
    "read": "Страница прочитана", "ask": "Поиск «{text}» на странице",
    "list": "Просмотрены {target}", "count": "Посчитаны {target}",
    "to open": "Открой {target}", "to back": "Вернись назад", "to click": "Нажми {target}", "to press": "Нажми {target}",
    "to type": "Введи «{text}» в {target}", "to select": "Выбери «{text}»", "to select in": "Выбери «{text}» в {target}",
    "to scroll": "Прокрути {target}", "up": "вверх", "down": "вниз", "to hover": "Наведи на {target}", "to wait": "Подожди {target} с",
    "to screenshot": "Сделай скриншот", "to log_in": "Войди", "to read": "Прочитай страницу",
    "to ask": "Найди «{text}» на странице", "to list": "Перечисли {target}", "to count": "Посчитай {target}",
    "focused": "поле", "named": "«{name}»", "by number": "{nth} {role}", "by number and name": "{nth} {role} «{name}»",
    "of role": "{role} «{name}»", "the only": "{role}", "last": "последнюю", "element": "",
    "button": "кнопку", "link": "ссылку", "tab": "вкладку", "checkbox": "галочку", "field": "поле",
    "links": "ссылки", "buttons": "кнопки", "fields": "поля", "headings": "заголовки", "rows": "строки", "items": "пункты", "title": "название",
    "page": "Открыта страница **{title}** ({url}).", "untitled": "Открыта страница {url}.", "says": "На ней написано:",
    "nothing": "Текста, который можно прочитать, на ней нет.", "drawn": "Большая часть страницы нарисована, как карта: прочитать рисунок как текст нельзя.",
    "no page": "Ни одна страница не открыта. Скажите какую, например: *открой example.com*.",
    "missing": "Не удалось найти на странице {what}.", "see": "Что на ней есть: {things}.", "unnamed": "{role} без названия",
    "form": "На ней форма, поля ({n}): {fields}.", "form of one": "На ней одно поле: {fields}.", "sends": "Форму отправляет {buttons}.",
    "failed": "Не получилось: {what}. {why}", "refused": "Не сделано, потому что вы отказали: {what}.",
    "wish": "Вы написали: «{text}». Встроенная модель работает по простым правилам и не понимает, что для этого нужно сделать. Скажите, какую страницу открыть и что на ней нажать.",
    "left": "Не сделано: {what}.",
    "found": "На странице «{page}» по запросу «{query}» найдено:", "found one": "На странице «{page}»:",
    "not all": "На странице «{page}» «{query}» целиком не встречается. Ближе всего, без «{missing}»:",
    "not found": "На странице «{page}» по запросу «{query}» ничего не нашлось.", "went on": "Это не вся страница. Спросите о слове, и я поищу его.",
    "further": "Дальше идут разделы: {names}.",
    "count of": "На странице «{page}» {part}: {n}.", "count of part": "Страница «{page}» видна не целиком; {part} в видимой части: {n}.",
    "list of": "На странице «{page}» {part}:", "list of none": "На странице «{page}» не видны {part}.", "title of": "Название страницы: «{page}».",
    "more": "и ещё {n}", "note": "«{query}», {page}: {text}", "absent": "не нашлось",
    "which": "Нужно найти {what}, и на странице таких {n}:\n\n{things}\n\nКакой из них? Ответьте номером или нажмите сами в браузере и скажите «готово».",
    "too few": "Не удалось найти {what}: подходящих на странице {n}.",
    "strange": "Не удалось понять: {what}.", "cannot": "Для этого нет инструмента: {what}.",
    "log_in_please": "Пожалуйста, войдите сами в браузере и скажите «готово».",
    "pause": "Остановка. Сделано: {done}. Продолжать?", "answer": "Ответ", "check": "Посмотреть на результат", "check found": "Проверить найденное", "earlier": "раньше",
    "because": "Шаг {n} из {of} задания",
    "hello": "Здравствуйте! Скажите, какую страницу открыть и что на ней сделать, например: *открой example.com и прочитай страницу*.",
    "hello again": "И снова здравствуйте! Что сделать дальше?", "thanks": "Пожалуйста! Если нужно что-то ещё, скажите.",
    "praise": "Хорошо. Если нужно что-то ещё, скажите.", "bye": "До свидания! Сессия останется здесь, к ней можно вернуться в любой момент.",
    "connect": "Для таких задач [подключите модель](/settings/models).",
    "beyond": "Встроенное демо этого не умеет: оно выполняет простые команды, например *открой example.com и прочитай страницу*.",
    "help": (
        "Это встроенное демо: оно выполняет простые команды в настоящем браузере. Например:\n\n"
        "- открой example.com и прочитай страницу\n- что там сказано о ценах в 2024 году?\n- сколько там ссылок?\n"
        "- нажми «Подробнее» или: нажми вторую ссылку\n- заполни Имя значением «Ада», выбери «Большой» в Размер\n"
        "- добавь чайник Прилив в корзину, оформи заказ\n- купи самый дешёвый чайник\n- прочитай таблицу по столбцам товар и цена\n"
        "- войди\n- ответь на последнее письмо: «Спасибо»\n- прокрути вниз, назад, сделай скриншот\n\n"
        "Шаги можно соединять словами «потом» и «и». Для всего остального [подключите модель](/settings/models)."
    ),
    "add": "Добавлено в корзину: {target}", "order": "Заказ оформлен", "reply": "Отправлен ответ «{text}»", "table": "Таблица прочитана",
    "to add": "Добавь {target} в корзину", "to order": "Оформи заказ", "to reply": "Ответь на {target}: «{text}»",
    "to table": "Прочитай таблицу", "to table in": "Прочитай таблицу по столбцам {text}", "table in": "Таблица прочитана",
    "it": "его", "the mail": "последнее письмо", "what to write": "Что написать? Например: *ответь на последнее письмо: «Спасибо»*.",
    "not confirmed": "Заказ отправлен, но страница его не подтверждает: посмотрите на неё.",
    "no table": "На странице «{page}» нет таблицы с такими столбцами: {columns}.", "table of": "Таблица страницы «{page}», строк: {n}:",
    "other table": "На странице «{page}» нет таблицы с такими столбцами: {columns}. Её заголовки: {seen}.",
    "recorded": "Таблица заполнена по странице «{page}».",
}  # fmt: skip
_RUSSIAN_INFINITIVES = {
    "upload": "загрузить {text}", "upload to": "загрузить {text} в {target}", "open": "открыть {target}", "back": "вернуться назад",
    "click": "нажать {target}", "press": "нажать {target}", "type": "ввести «{text}» в {target}", "select": "выбрать «{text}»",
    "select in": "выбрать «{text}» в {target}", "scroll": "прокрутить {target}", "hover": "навести курсор на {target}",
    "wait": "подождать {target} с", "screenshot": "сделать скриншот", "log_in": "войти", "read": "прочитать страницу",
    "ask": "найти «{text}» на странице", "list": "перечислить {target}", "count": "посчитать {target}",
    "add": "добавить {target} в корзину", "order": "оформить заказ", "reply": "ответить на {target}: «{text}»",
    "table": "прочитать таблицу", "table in": "прочитать таблицу по столбцам {text}",
}  # fmt: skip
"""What a command would have done, as a part of a sentence."""
_PARTS_RU = {
    "links": "ссылок", "buttons": "кнопок", "fields": "полей", "headings": "заголовков", "rows": "строк", "items": "пунктов",
}  # fmt: skip
_FEMININE = frozenset({"button", "link", "tab", "checkbox"})
CONTROLS = FIELDS | {"file", "checkbox", "radio", "switch", "slider", "listbox"}
"""Roles of what a form asks for."""


class Words:
    """The texts in the language of `like`, the user's message."""

    def __init__(self, like: str) -> None:
        self._is_russian = is_russian(like)
        self._words = _RUSSIAN if self._is_russian else _ENGLISH

    def say(self, sentence: str, /, **values: object) -> str:
        return self._words[sentence].format(**values)

    def did(self, command: DemoCommand) -> str:
        return self.say(self._kind(command), target=self.target(command), text=self._text(command))

    def _kind(self, command: DemoCommand) -> str:
        is_aimed = command.kind == "upload" and bool(command.target or command.nth)
        return "upload to" if is_aimed else command.kind

    def _text(self, command: DemoCommand) -> str:
        return command.text or (self.say("the file") if command.kind == "upload" else "")

    def to_do(self, command: DemoCommand) -> str:
        """The command in the imperative, so that an edited plan can be parsed as a request."""
        return self.say(
            f"to {self._kind_to_do(command)}", target=self.target(command), text=self._text(command)
        )

    def undone(self, command: DemoCommand) -> str:
        """The command as a part of a sentence about what was not done."""
        if not self._is_russian:
            return self.to_do(command)
        infinitive = _RUSSIAN_INFINITIVES[self._kind_to_do(command)]
        return infinitive.format(target=self.target(command), text=self._text(command))

    def _kind_to_do(self, command: DemoCommand) -> str:
        is_aimed = command.target if command.kind == "select" else command.kind == "table" and command.text
        return f"{command.kind} in" if is_aimed else self._kind(command)

    def target(self, command: DemoCommand) -> str:
        """What the command is about, as a part of a sentence."""
        if command.kind in ("list", "count", "scroll"):
            return self.say(command.target)
        if command.kind in ("add", "reply"):
            named = self.say("named", name=command.target) if command.kind == "add" else command.target
            return named if command.target else self.say("it" if command.kind == "add" else "the mail")
        if command.kind not in ("click", "hover", "type", "select", "upload"):
            return command.target
        name, nth = command.target, self._nth(command)
        role = self.say(
            command.role or ("field" if command.kind in ("type", "select", "upload") else "element")
        )
        if nth:
            return self.say(
                "by number and name" if name else "by number", nth=nth, name=name, role=role
            ).strip()
        if command.role:
            return self.say("of role" if name else "the only", name=name, role=role)
        return self.say("named", name=name) if name else self.say("focused")

    def _nth(self, command: DemoCommand) -> str:
        nth = command.nth
        if nth <= 0:
            return self.say("last") if nth else ""
        if self._is_russian:
            return f"{nth}-ю" if command.role in _FEMININE else f"{nth}-е"
        ending = "th" if nth % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(nth % 10, "th")
        return f"{nth}{ending}"

    def thing(self, thing: Thing) -> str:
        """An element by its role and name, with the place that distinguishes it from others."""
        role = role_words(thing.role).to("ru") if self._is_russian else thing.role
        named = (
            f"{role} {self.say('named', name=thing.name)}" if thing.name else self.say("unnamed", role=role)
        )
        return f"{named} ({thing.place})" if thing.place else named

    def part(self, part: str) -> str:
        """The word for parts of a page after a number of them."""
        return _PARTS_RU[part] if self._is_russian else self.say(part)

    def key(self, command: DemoCommand) -> str:
        """What the note of a question's answer contains."""
        if command.kind == "ask":
            return self.say("named", name=command.text)
        if command.kind == "read":
            return self.say("page", title="", url="").partition("*")[0]
        if command.kind == "table":
            return self.say("table of", page="\0", n=0).partition("\0")[0]
        if command.target == "title":
            return self.say("title of", page="").partition(self.say("named", name="")[0])[0]
        return self.part(command.target) if command.kind == "count" else self.say(command.target)

    def where(self, page: DemoPage) -> str:
        return self.say("page" if page.title else "untitled", title=page.title, url=page.url)

    def page(self, page: DemoPage) -> str:
        """Title, address, what the page shows of its text, its form, and whether it is drawn."""
        parts = [self.where(page)]
        text = _main_text(page)
        if text:
            parts += [self.say("says"), text]
        parts += self.form(page)
        if page.is_drawn:
            parts.append(self.say("drawn"))
        elif len(parts) == 1:
            return f"{parts[0]} {self.say('nothing')}"
        return "\n\n".join(parts)

    def form(self, page: DemoPage) -> list[str]:
        """A sentence with the fields of the page's form and its buttons; none if it has no field."""
        fields = [thing for thing in page.things if thing.role in CONTROLS]
        if not fields:
            return []
        named = ", ".join(self.field(field) for field in fields[:_THINGS_SHOWN])
        said = self.say("form" if len(fields) > 1 else "form of one", n=len(fields), fields=named)
        buttons = [thing for thing in page.things if thing.role == "button" and thing.name]
        sends = [
            self.thing(button)
            for button in buttons
            if page.things.index(button) > page.things.index(fields[-1])
        ]
        return [f"{said} {self.say('sends', buttons=sends[0])}" if sends and len(fields) > 1 else said]

    def field(self, thing: Thing) -> str:
        name = thing.name or self.thing(thing)
        shown = ", ".join(thing.options[:_OPTIONS_SHOWN])
        return f"{name} ({shown})" if shown else name

    def missing(self, command: DemoCommand, page: DemoPage) -> str:
        what = (
            self.target(command) if command.target or command.role else self.say("named", name=command.text)
        )
        missing = self.say("missing", what=what)
        seen = list(dict.fromkeys(self.thing(thing) for thing in page.things))
        more = [self.say("more", n=len(seen) - _THINGS_SHOWN)] if len(seen) > _THINGS_SHOWN else []
        shown = ", ".join([*seen[:_THINGS_SHOWN], *more])
        return f"{missing} {self.say('see', things=shown)}" if shown else missing

    def joined(self, commands: Sequence[DemoCommand]) -> str:
        return "; ".join(self.undone(command) for command in commands)


def _main_text(page: DemoPage) -> str:
    """The page's text as quoted lines without repeats, whole sentences of about `_TEXT_SHOWN` characters."""
    lines: list[str] = []
    room = _TEXT_SHOWN
    for text in dict.fromkeys(text for text in page.texts if len(text) > 1):
        kept: list[str] = []
        for sentence in sentences(text):
            if room <= 0:
                break
            kept.append(cut(sentence, _TEXT_SHOWN))
            room -= len(sentence)
        if kept:
            lines.append(f"> {' '.join(kept)}")
        if room <= 0:
            lines.append("> …")
            break
    return "\n>\n".join(lines)
