"""What a step of the agent did, in English and in Russian. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

DIRECTIONS = {"up": "вверх", "down": "вниз", "left": "влево", "right": "вправо"}
STEPS: dict[Literal["en", "ru"], Mapping[str, str]] = {
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


def step_in_russian(step: str) -> str:
    """A step that the server has described in English, in Russian; other texts stay as they are."""
    english, russian = STEPS["en"], STEPS["ru"]
    for name in sorted(english, key=lambda name: -len(english[name])):
        if step == english[name] or step.startswith(f"{english[name]} "):
            what = step.removeprefix(english[name])
            if direction := direction_in("ru", what.strip()):
                return f"{russian[name]} {direction}"
            return russian[name] + re.sub("“(.*)”", russian["quoted"].format(r"\1"), what)
    return step


def direction_in(language: Literal["en", "ru"], value: object) -> str:
    """Up, down, left or right in that language; "" for anything else."""
    if not isinstance(value, str) or value not in DIRECTIONS:
        return ""
    return DIRECTIONS[value] if language == "ru" else value
