"""The command line's texts in the language of the terminal: English, or Russian by the usual variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal

from cli.russian import RUSSIAN, TOOLS
from wording.held import held_in_russian
from wording.russian import elements_in_russian, in_russian
from wording.steps import DIRECTIONS

Language = Literal["en", "ru"]


def language_of(environ: Mapping[str, str]) -> Language:
    """The language of messages, from the first of these variables that is set."""
    names = (environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    chosen = next(filter(None, names), "")
    return "ru" if chosen.lower().partition(".")[0].partition("_")[0] == "ru" else "en"


def say(text: str, /, language: Language | None = None, **values: object) -> str:
    """The text with its values filled in, in Russian if the terminal is Russian. The English text is the key."""
    template = RUSSIAN.get(text, text) if _is_russian(language) else text
    return template.format(**values) if values else template  # a text of the server may have braces


def localized(text: str, language: Language | None = None) -> str:
    """What the server says in English, in the language of the terminal. What a page says stays as it is."""
    return in_russian(text) if _is_russian(language) else text


def held(words: str, language: Language | None = None) -> str:
    """What a held request would do, in the language of the terminal."""
    return held_in_russian(words) if _is_russian(language) else words


def tool_name(name: str, language: Language | None = None) -> str:
    """The name of a tool as a word of the terminal's language; its own if there is none."""
    return TOOLS.get(name.removeprefix("browser_"), name) if _is_russian(language) else name


def named(element: str, language: Language | None = None) -> str:
    """An element such as `button "Send"`, in the language of the terminal."""
    return (elements_in_russian(element) if _is_russian(language) else "") or element


def direction(value: str, language: Language | None = None) -> str:
    """Up, down, left or right, in the language of the terminal; another text stays as it is."""
    return DIRECTIONS.get(value, value) if _is_russian(language) else value


def _is_russian(language: Language | None) -> bool:
    return (language or language_of(os.environ)) == "ru"
