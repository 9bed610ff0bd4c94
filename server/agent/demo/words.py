"""The demo model's texts, in English and Russian. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from server.agent.demo.commands import DemoCommand
from server.agent.demo.page import DemoPage
from server.agent.language import is_russian

_TEXT_SHOWN = 900
_THINGS_SHOWN = 8

_ENGLISH = {
    "open": "Opened {target}", "back": "Went back", "click": "Clicked “{target}”", "press": "Pressed {target}",
    "type": "Typed “{text}” into {target}", "select": "Chose “{text}”", "scroll": "Scrolled {target}",
    "hover": "Pointed at “{target}”", "wait": "Waited {target} s", "screenshot": "Took a screenshot",
    "log_in": "You logged in",
    "to open": "Open {target}", "to back": "Go back", "to click": "Click “{target}”", "to press": "Press {target}",
    "to type": "Type “{text}” into {target}", "to select": "Select “{text}”", "to select in": "Select “{text}” in “{target}”", "to scroll": "Scroll {target}",
    "to hover": "Hover over “{target}”", "to wait": "Wait {target} s", "to screenshot": "Take a screenshot",
    "to log_in": "Log in", "focused": "the field", "field": "“{name}”",
    "page": "The page is **{title}** ({url}).", "untitled": "The page is {url}.", "says": "It says:", "nothing": "I see no text on it.",
    "missing": "I found nothing called “{name}” on the page.", "see": "What I can see there: {things}.",
    "failed": "This did not work: {what}. {why}", "left": "Not done: {what}.",
    "strange": "I did not understand: {what}.", "cannot": "I have no tool for this: {what}.",
    "log_in_please": "Please log in by yourself in the browser, then say “done”.",
    "pause": "I pause here. Done so far: {done}. Shall I go on?", "answer": "Say what the page shows",
    "footer": "*Built-in demo model: it follows fixed rules and is not an LLM.*",
    "help": (
        "I am the built-in **demo model**, not an LLM: I follow simple commands in a real browser.\n\n"
        "I understand, for example:\n"
        "- open example.com and read the page\n- click “More information”\n- type “hello” into Search, then press Enter\n"
        "- fill Name with “Ada”\n- select “Large” in Size\n- scroll down, go back, take a screenshot\n\n"
        "Several steps may be joined by “then”. For everything else, set the key of a model provider, such as "
        "ANTHROPIC_API_KEY, and choose its model."
    ),
}  # fmt: skip
_RUSSIAN = {
    "open": "Открыл {target}", "back": "Вернулся назад", "click": "Нажал «{target}»", "press": "Нажал {target}",
    "type": "Ввёл «{text}» в {target}", "select": "Выбрал «{text}»", "scroll": "Прокрутил страницу ({target})",
    "hover": "Навёл на «{target}»", "wait": "Подождал {target} с", "screenshot": "Сделал снимок экрана",
    "log_in": "Вы вошли",
    "to open": "Открой {target}", "to back": "Вернись назад", "to click": "Нажми «{target}»", "to press": "Нажми {target}",
    "to type": "Введи «{text}» в {target}", "to select": "Выбери «{text}»", "to select in": "Выбери «{text}» в «{target}»", "to scroll": "Прокрути {target}",
    "to hover": "Наведи на «{target}»", "to wait": "Подожди {target} с", "to screenshot": "Сделай скриншот",
    "to log_in": "Войди", "focused": "поле", "field": "«{name}»",
    "page": "Открыта страница **{title}** ({url}).", "untitled": "Открыта страница {url}.", "says": "На ней написано:", "nothing": "Текста на ней не видно.",
    "missing": "На странице нет ничего с названием «{name}».", "see": "Что я там вижу: {things}.",
    "failed": "Не получилось: {what}. {why}", "left": "Не сделано: {what}.",
    "strange": "Этого я не понял: {what}.", "cannot": "Для этого у меня нет инструмента: {what}.",
    "log_in_please": "Пожалуйста, войдите сами в браузере и скажите «готово».",
    "pause": "Я остановился. Сделано: {done}. Продолжать?", "answer": "Сказать, что на странице",
    "footer": "*Встроенная демо-модель: она работает по простым правилам и не является LLM.*",
    "help": (
        "Я встроенная **демо-модель**, а не LLM: выполняю простые команды в настоящем браузере.\n\n"
        "Я понимаю, например:\n"
        "- открой example.com и прочитай страницу\n- нажми «Подробнее»\n- введи «привет» в Поиск, потом нажми Enter\n"
        "- заполни Имя значением «Ада»\n- выбери «Большой» в Размер\n- прокрути вниз, назад, сделай скриншот\n\n"
        "Шаги можно соединять словами «потом», «и». Для всего остального задайте ключ провайдера модели, например "
        "ANTHROPIC_API_KEY, и выберите его модель."
    ),
}  # fmt: skip


class Words:
    """The texts in the language of `like`, the user's message."""

    def __init__(self, like: str) -> None:
        self._words = _RUSSIAN if is_russian(like) else _ENGLISH

    def say(self, sentence: str, /, **values: object) -> str:
        return self._words[sentence].format(**values)

    def did(self, command: DemoCommand) -> str:
        return self.say(command.kind, target=self._target(command), text=command.text)

    def to_do(self, command: DemoCommand) -> str:
        """The command in the imperative, so that an edited plan can be parsed as a request."""
        kind = "select in" if command.kind == "select" and command.target else command.kind
        return self.say(f"to {kind}", target=self._target(command), text=command.text)

    def _target(self, command: DemoCommand) -> str:
        if command.kind != "type":
            return command.target
        return self.say("field", name=command.target) if command.target else self.say("focused")

    def page(self, page: DemoPage) -> str:
        """Title, address and main text."""
        head = self.say("page" if page.title else "untitled", title=page.title, url=page.url)
        text = _main_text(page)
        return f"{head}\n\n{self.say('says')}\n\n{text}" if text else f"{head} {self.say('nothing')}"

    def missing(self, name: str, page: DemoPage) -> str:
        named = [f"{thing.role} “{thing.name}”" for thing in page.things if thing.name][:_THINGS_SHOWN]
        missing = self.say("missing", name=name)
        return f"{missing} {self.say('see', things=', '.join(named))}" if named else missing

    def joined(self, commands: Sequence[DemoCommand]) -> str:
        return "; ".join(self.did(command) for command in commands)


def _main_text(page: DemoPage) -> str:
    """The page's text as quoted lines without repeats, up to about `_TEXT_SHOWN` characters."""
    lines: list[str] = []
    size = 0
    for text in dict.fromkeys(text for text in page.texts if len(text) > 1):
        size += len(text)
        lines.append(f"> {text[:_TEXT_SHOWN]}")
        if size > _TEXT_SHOWN:
            lines.append("> …")
            break
    return "\n>\n".join(lines)
