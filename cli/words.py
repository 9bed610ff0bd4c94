"""The command line's texts in the language of the terminal, by the usual variables."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from wording.catalogue import Parts, command_line, in_language, known_language
from wording.element_words import element_words
from wording.step_words import direction as direction_words


def language_of(environ: Mapping[str, str]) -> str:
    """The language of messages, from the first of these variables that is set; English for one that is not here."""
    names = (environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    chosen = next(filter(None, names), "")
    return known_language(chosen)


def t(text: str, /, language: str | None = None, **values: object) -> str:
    """The text with its values filled in, in the language of the terminal. The English text is the key."""
    template = _own_words(language)["texts"].get(text, text)
    return template.format(**values) if values else template  # a text of the server may have braces


def localized(said: Mapping[str, Any], name: str, language: str | None = None) -> str:
    """A text of the server, the field `name` with its sentences in `<name>_parts`, in the language of the terminal."""
    parts: Parts | None = said.get(f"{name}_parts")
    return in_language(language or language_of(os.environ), str(said.get(name) or ""), parts)


def localized_notes(said: Mapping[str, Any], language: str | None = None) -> list[str]:
    """The texts of `notes`, with their sentences in `notes_parts`; likewise."""
    notes = list(said.get("notes") or ())
    parts = said.get("notes_parts") or [None] * len(notes)
    chosen = language or language_of(os.environ)
    return [in_language(chosen, str(note), sentences) for note, sentences in zip(notes, parts, strict=False)]


def tool_name(name: str, language: str | None = None) -> str:
    """The name of a tool as a word of the terminal's language; its own if there is none."""
    return _own_words(language)["tools"].get(name.removeprefix("browser_"), name)


def named(element: str, language: str | None = None) -> str:
    """An element such as `button "Send"`, in the language of the terminal."""
    found = _NAMED.fullmatch(element)
    return element_words(found[1], found[2]).to(language or language_of(os.environ)) if found else element


def direction(value: str, language: str | None = None) -> str:
    """Up, down, left or right, in the language of the terminal; another text stays as it is."""
    return direction_words(value).to(language or language_of(os.environ)) or value


_NAMED = re.compile(r'([a-z]+) "(.+)"')


def _own_words(language: str | None) -> Mapping[str, Mapping[str, str]]:
    return command_line(language or language_of(os.environ))
