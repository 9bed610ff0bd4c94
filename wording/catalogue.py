"""The sentences that the product says, by code and values, in each language of `sentences/`. Pure.

A `Wording` is stored, sent and read by models as the English text that it is, and as its parts besides: clients show these in
their own language (`web/src/i18n/sentences.ts` formats them in the same way). A language is one file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

from typing_extensions import TypeAliasType, TypedDict

FOLDER = Path(__file__).parent / "sentences"
_COMMAND_LINE = Path(__file__).parent / "cli"
ENGLISH = "en"


class SentenceJson(TypedDict):
    """A sentence as it is sent and stored: the values stand in it by name, and may be texts themselves."""

    code: str
    values: dict[str, str | int | float | Parts]


Parts = TypeAliasType("Parts", list[str | SentenceJson])
"""A text as it is sent and stored: sentences, and words that are the same in all languages, such as a page's."""
Value: TypeAlias = str | int | float
"""Of a sentence. A `Wording` among them is put into the language of the sentence."""
Entry: TypeAlias = str | dict[str, str]
"""A sentence of a language, or its forms by plural category; its value `n` chooses the form."""


@dataclass(frozen=True, slots=True)
class Sentence:
    code: str
    values: dict[str, Value]


class Wording(str):
    """An English text that knows its sentences. What is computed from it as from any `str` is a plain `str` again."""

    __slots__ = ("parts",)
    parts: tuple[str | Sentence, ...]

    def __new__(cls, *parts: str | Sentence) -> Wording:
        text = super().__new__(cls, "".join(map(_in_english, parts)))
        text.parts = tuple(
            part for one in parts for part in (one.parts if isinstance(one, Wording) else (one,))
        )
        return text

    def __str__(self) -> Wording:
        """Itself, so that the text of an exception, `str(error)`, keeps its sentences."""
        return self

    @classmethod
    def stored(cls, text: str, parts: Parts | None) -> Wording:
        """The text as it was stored; a sentence of another version is its text only."""
        try:
            return wording_of(parts) if parts else cls(text)
        except KeyError:
            return cls(text)

    def to(self, language: str) -> str:
        """The text in a language, see `in_language`."""
        return in_language(language, self, parts_of(self))

    def __reduce__(self) -> tuple[type[Wording], tuple[str | Sentence, ...]]:
        return Wording, self.parts


def sentence(code: str, /, **values: Value) -> Wording:
    """The sentence with its values. Raises KeyError for an unknown code or a missing value."""
    return Wording(Sentence(code, values))


def joined(texts: Iterable[str], separator: str = " ") -> Wording:
    """The texts that are not empty, one after the other."""
    parts: list[str | Sentence] = []
    for text in filter(None, texts):
        parts += ([separator] if parts else []) + list(_parts(text))
    return Wording(*parts)


def changed(text: str, change: Callable[[str], str]) -> Wording:
    """The text with all that is not the product's own words changed: plain parts and values."""

    def of(value: Value) -> Value:
        if isinstance(value, Wording):
            return changed(value, change)
        return change(value) if isinstance(value, str) else value

    return Wording(*(
        Sentence(part.code, {name: of(value) for name, value in part.values.items()})
        if isinstance(part, Sentence) else change(part)
        for part in _parts(text)
    ))  # fmt: skip


def says(text: str, code: str) -> bool:
    """Whether the sentence is a part of the text."""
    return any(isinstance(part, Sentence) and part.code == code for part in _parts(text))


def shortened(text: str, length: int) -> Wording:
    """The text, at most `length` characters of it: a sentence that does not fit stays as a plain text."""
    parts: list[str | Sentence] = []
    for part in _parts(text):
        shown = _in_english(part)
        parts.append(part if len(shown) <= length else shown[:length])
        length = max(0, length - len(shown))
    return Wording(*(part for part in parts if part))


def parts_of(text: str) -> Parts | None:
    """The parts of a text as they are sent and stored; None if there is no sentence among them."""
    has_sentence = any(isinstance(part, Sentence) for part in _parts(text))
    return as_json(text) if has_sentence else None


def as_json(text: str) -> Parts:
    """As `parts_of`, also for a text without a sentence."""
    return [
        SentenceJson(code=part.code, values={name: _to_json(value) for name, value in part.values.items()})
        if isinstance(part, Sentence) else str.__str__(part)
        for part in _parts(text)
    ]  # fmt: skip


def wording_of(parts: Parts) -> Wording:
    """The inverse of `parts_of`. Raises KeyError for a sentence of another version."""
    return Wording(*(
        part if isinstance(part, str)
        else Sentence(part["code"], {name: _from_json(value) for name, value in part["values"].items()})
        for part in parts
    ))  # fmt: skip


def in_language(language: str, text: str, parts: Parts | None) -> str:
    """The text in a language, as far as its parts are known there: else, and without parts, as it is."""
    if language == ENGLISH or not parts:
        return text
    try:
        return _formatted(language, parts)
    except (KeyError, OSError):
        return text


@cache
def sentences(language: str) -> dict[str, Entry]:
    """All sentences of a language by their codes. Raises FileNotFoundError."""
    known: dict[str, Entry] = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return known


@cache
def command_line(language: str) -> dict[str, dict[str, str]]:
    """The command line's own `texts` by the English ones, and its words for `tools` by their names."""
    if language == ENGLISH:
        return {"texts": {}, "tools": {}}
    known: dict[str, dict[str, str]] = json.loads(
        (_COMMAND_LINE / f"{language}.json").read_text(encoding="utf-8")
    )
    return known


@cache
def languages() -> tuple[str, ...]:
    """All that there are besides English."""
    return tuple(sorted(file.stem for file in FOLDER.glob("*.json") if file.stem != ENGLISH))


def known_language(tag: str) -> str:
    """The language of a tag such as `de-AT` or `ru_RU.UTF-8`; English for one that is not here."""
    language = re.split(r"[-_.]", tag.lower())[0]
    return language if language in languages() else ENGLISH


def plural_form(language: str, number: float) -> str:
    """The category of a number, as CLDR names it. Languages that have no rule of their own here have two."""
    if language != "ru" or number != int(number):
        return "one" if number == 1 else "other"
    tens, ones = number % 100, number % 10
    if ones == 1 and tens != 11:
        return "one"
    return "few" if 2 <= ones <= 4 and not 12 <= tens <= 14 else "many"


def _parts(text: str) -> tuple[str | Sentence, ...]:
    return text.parts if isinstance(text, Wording) else (text,)


def _to_json(value: Value) -> str | int | float | Parts:
    return parts_of(value) or str.__str__(value) if isinstance(value, str) else value


def _from_json(value: str | int | float | Parts) -> Value:
    return wording_of(value) if isinstance(value, list) else value


def _in_english(part: str | Sentence) -> str:
    if isinstance(part, str):
        return part
    return _filled(ENGLISH, part.code, part.values)


def _formatted(language: str, parts: Parts) -> str:
    return "".join(
        part if isinstance(part, str)
        else _filled(language, part["code"], {
            name: _formatted(language, value) if isinstance(value, list) else value
            for name, value in part["values"].items()
        })
        for part in parts
    )  # fmt: skip


_NAME = re.compile(r"\{(\w+)\}")


def _filled(language: str, code: str, values: dict[str, Value]) -> str:
    entry = sentences(language)[code]
    if isinstance(entry, dict):
        number = values["n"]
        assert not isinstance(number, str)
        entry = entry.get(plural_form(language, number)) or entry["other"]
    return _NAME.sub(lambda name: _shown(language, values[name[1]]), entry)


def _shown(language: str, value: Value) -> str:
    if isinstance(value, str):
        return value
    number = str(int(value)) if value == int(value) else repr(value)
    return number.replace(".", str(sentences(language)["decimal_sign"]))
