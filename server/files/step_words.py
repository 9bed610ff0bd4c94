"""What a step did, in words of a person, from the tool call: for reports. The web UI has the same in `toolWords.ts`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from server.ops.json_types import JsonObject
from wording.russian import DIRECTIONS

_SAME = {
    "fill": "type", "launch": "navigate", "open": "navigate", "navigate_back": "back", "press_key": "press",
    "select_option": "select", "wait_for": "wait", "take_screenshot": "screenshot", "snapshot": "observe",
    "get_state": "observe", "read_file": "read", "get_text_near": "read", "tabs": "switch_tab", "file_upload": "upload",
}  # fmt: skip
_WORDS: dict[Literal["en", "ru"], Mapping[str, str]] = {
    "en": {
        "click": "Clicked", "double_click": "Double-clicked", "drag": "Dragged", "type": "Typed into",
        "fill_form": "Filled in a form", "navigate": "Opened", "back": "Went back", "press": "Pressed", "select": "Chose",
        "hover": "Pointed at", "scroll": "Scrolled", "wait": "Waited", "screenshot": "Took a screenshot",
        "observe": "Looked at the page", "read": "Read", "read_page": "Read the page", "find": "Searched the page for",
        "record": "Added rows to the table", "focus": "Looked closer at", "switch_tab": "Switched tab",
        "upload": "Attached a file", "quoted": "“{}”",
    },
    "ru": {
        "click": "Нажатие", "double_click": "Двойное нажатие", "drag": "Перетаскивание", "type": "Ввод в поле",
        "fill_form": "Заполнение формы", "navigate": "Открыта страница", "back": "Возврат на предыдущую страницу",
        "press": "Нажата клавиша", "select": "Выбор", "hover": "Наведение курсора на", "scroll": "Прокрутка", "wait": "Ожидание",
        "screenshot": "Снимок экрана", "observe": "Осмотр страницы", "read": "Чтение", "read_page": "Чтение страницы",
        "find": "Поиск на странице", "record": "Добавлены строки таблицы", "focus": "Осмотр части страницы",
        "switch_tab": "Другая вкладка", "upload": "Приложен файл", "quoted": "«{}»",
    },
}  # fmt: skip
_OBJECT_ARGUMENTS = ("element", "target", "label", "field", "key", "option", "file", "query")
_NAMED = re.compile(r'[a-z]+ "(.+)"')
_PREFIX = re.compile(r"^(?:browser|playwright|browser_use)_+")


def step_words(name: str, args: JsonObject, language: Literal["en", "ru"]) -> str:
    """Such as `Clicked “Place order”`; "" for a tool that is not known here."""
    bare = _PREFIX.sub("", name)
    bare = _SAME.get(bare, bare)
    if bare == "read_page" and args.get("query"):
        bare = "find"
    words = _WORDS[language]
    if bare not in words or bare == "quoted":
        return ""
    what = _object(args, words["quoted"]) or _direction(args.get("direction"), language)
    return f"{words[bare]} {what}".strip()


def in_russian_words(step: str) -> str:
    """A step that `step_words` has described in English, in Russian; other texts stay as they are."""
    english, russian = _WORDS["en"], _WORDS["ru"]
    for name in sorted(english, key=lambda name: -len(english[name])):
        if step == english[name] or step.startswith(f"{english[name]} "):
            what = step.removeprefix(english[name])
            if direction := _direction(what.strip(), "ru"):
                return f"{russian[name]} {direction}"
            return russian[name] + re.sub("“(.*)”", russian["quoted"].format(r"\1"), what)
    return step


def _object(args: JsonObject, quoted: str) -> str:
    for name in _OBJECT_ARGUMENTS:
        value = args.get(name)
        if isinstance(value, dict):
            value = value.get("name")
        if isinstance(value, str) and value:
            found = _NAMED.fullmatch(value)
            return quoted.format(found[1] if found else value)
    url = args.get("url")
    return url.partition("://")[2].rstrip("/") or url if isinstance(url, str) else ""


def _direction(value: object, language: Literal["en", "ru"]) -> str:
    if not isinstance(value, str) or value not in DIRECTIONS:
        return ""
    return DIRECTIONS[value] if language == "ru" else value
