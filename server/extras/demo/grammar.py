"""The words and patterns of `grammar.toml`, in English, German and Russian."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

GRAMMAR: dict[str, Any] = tomllib.loads(Path(__file__).with_name("grammar.toml").read_text("utf-8"))
KEY_WORDS: dict[str, str] = {word: key for key, words in GRAMMAR["keys"].items() for word in words}
"""The names of keys as people write them."""
_GRAMMAR_FLAGS = re.IGNORECASE | re.DOTALL


def listed(name: str) -> frozenset[str]:
    return frozenset(GRAMMAR["lists"][name].split())


def regex(given: str | list[str]) -> re.Pattern[str]:
    return re.compile(_filled(given), _GRAMMAR_FLAGS)


def pattern(name: str) -> re.Pattern[str]:
    """The pattern of that name, in any case of letters."""
    return regex(f"%{name}%")


def alternatives(table: str) -> list[tuple[str, re.Pattern[str]]]:
    """Names with the pattern of each, in order."""
    return [(name, regex(given)) for name, given in GRAMMAR[table].items()]


def _filled(given: str | list[str]) -> str:
    """The whole pattern, with those that it names."""
    return re.sub(
        r"%(\w+)%", lambda named: _named(named[1]), given if isinstance(given, str) else "".join(given)
    )


def _named(name: str) -> str:
    if name == "key_name":
        return "|".join(sorted(map(re.escape, KEY_WORDS), key=len, reverse=True))
    return _filled(GRAMMAR["patterns"][name])
