"""The words of controls and pages in 29 languages, and the concepts that they mean.

README.md describes the data: one `<language>.toml` for each language, and `icons.toml`. The functions here are
the only interface: `lexicon()` finds concepts in a text, `icon_concept` that of a sign, `guess_language` the
language of a page.
"""

from __future__ import annotations

import gc
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock

from server.agent.policy.lexicon.finder import Lexicon
from server.agent.policy.lexicon.patterns import Hit, Pattern, parse
from server.agent.policy.text import WORD, fold, plain

__all__ = [
    "UNREAD", "Hit", "Lexicon", "Pattern", "guess_language", "icon_concept", "languages", "lexicon", "read_patterns",
    "warm_up",
]  # fmt: skip

_FOLDER = Path(__file__).parent
_SCRIPT_RANGES = {
    "ja": "[\u3040-\u30ff]", "ko": "[\uac00-\ud7af]", "zh": "[\u4e00-\u9fff]", "th": "[\u0e00-\u0e7f]",
    "hi": "[\u0900-\u097f]", "he": "[\u0590-\u05ff]", "el": "[\u0370-\u03ff]",
}  # fmt: skip
"""Scripts that only one language of the lexicon uses. Japanese is before Chinese, whose characters it shares."""
_SCRIPT_SHARE = 0.15
"""Share of letters in a script that decides; low, since pages in any script contain Latin names."""
_FEWEST_VOTES = 3.0
_LEAD = 1.5
_MAX_CHARS = 4000
UNREAD = "?"
"""The code of any language without a lexicon."""
_FEWEST_WORDS, _UNREAD_SHARE, _SHORTEST_WORD = 12, 0.25, 3
"""Of so many different words a language of the lexicon knows at least this share."""
_loading = Lock()


def warm_up() -> None:
    """Load the lexicon if it is not loaded. It takes a second or two, which would delay the first verdict."""
    with _loading:
        if not lexicon.cache_info().currsize:
            lexicon()
            gc.freeze()  # the patterns live as long as the process: exclude them from garbage collection


@cache
def lexicon() -> Lexicon:
    """All languages in one lexicon, since a page does not reliably declare its language."""
    return Lexicon(read_patterns())


def languages() -> tuple[str, ...]:
    """The codes of the languages in the lexicon."""
    return tuple(file.stem for file in _language_files())


def read_patterns(only: str | None = None) -> Iterator[Pattern]:
    """Yield the patterns of all languages, or only of the language `only`."""
    for file in _language_files():
        if only in (None, file.stem):
            yield from parse(file.stem, tomllib.loads(file.read_text(encoding="utf-8")))


def icon_concept(text: str) -> str:
    """The concept of the first icon character that has one, "" if none has."""
    return next((_icons()[char] for char in text if char in _icons()), "")


@lru_cache(maxsize=64)
def guess_language(text: str) -> str:
    """The code of the text's language, "" if it is not clear, `UNREAD` if most words are of no language known.

    The script decides, else words of the lexicon.
    """
    text = text[:_MAX_CHARS]
    letters = sum(map(str.isalpha, text))
    for code, script in _SCRIPT_RANGES.items():
        if letters and len(re.findall(script, text)) >= _SCRIPT_SHARE * letters:
            return code
    words = list(dict.fromkeys(WORD.findall(fold(text))))  # in order: sums of fractions depend on it
    votes, shared = Counter[str](), Counter[str]()
    for word in words:
        known = lexicon().languages_of(word) or lexicon().languages_of(plain(word))
        shared.update(known)
        for code in known:
            votes[code] += 1 / len(known)  # type: ignore[assignment]
    (first, most), (_, next_most) = [*votes.most_common(2), ("", 0), ("", 0)][:2]
    if most >= _FEWEST_VOTES and most >= _LEAD * next_most:
        return first
    long = sum(len(word) >= _SHORTEST_WORD and not word.isdigit() for word in words)
    is_read = long < _FEWEST_WORDS or max(shared.values(), default=0) >= _UNREAD_SHARE * long
    return "" if is_read else UNREAD


@cache
def _icons() -> dict[str, str]:
    groups = tomllib.loads((_FOLDER / "icons.toml").read_text(encoding="utf-8"))
    return {
        char: f"{group}.{kind}"
        for group, kinds in groups.items()
        for kind, chars in kinds.items()
        for char in chars
    }  # fmt: skip


def _language_files() -> list[Path]:
    return sorted(_FOLDER.glob("??.toml"))
