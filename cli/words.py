"""The command line's texts in the language of the terminal: English, or Russian by the usual variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal

from cli.russian import RUSSIAN

Language = Literal["en", "ru"]


def language_of(environ: Mapping[str, str]) -> Language:
    """The language of messages, from the first of these variables that is set."""
    names = (environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    chosen = next(filter(None, names), "")
    return "ru" if chosen.lower().partition(".")[0].partition("_")[0] == "ru" else "en"


def say(text: str, /, language: Language | None = None, **values: object) -> str:
    """The text with its values filled in, in Russian if the terminal is Russian. The English text is the key."""
    is_russian = (language or language_of(os.environ)) == "ru"
    template = RUSSIAN[text] if is_russian and text in RUSSIAN else text
    return template.format(**values) if values else template  # a text of the server may have braces
