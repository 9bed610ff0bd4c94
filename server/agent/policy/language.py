"""Guess the language of a page from its script and from the words it shares with the lexicon."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from server.agent.policy.lexicon import vocabulary
from server.agent.policy.text import WORD, fold, plain

_SCRIPTS = {
    "ja": "[\u3040-\u30ff]", "ko": "[\uac00-\ud7af]", "zh": "[\u4e00-\u9fff]", "th": "[\u0e00-\u0e7f]",
    "hi": "[\u0900-\u097f]", "he": "[\u0590-\u05ff]", "el": "[\u0370-\u03ff]",
}  # fmt: skip
_SCRIPT_SHARE = 0.15
"""Share of letters in a script that decides; low, since pages in any script contain Latin names."""
_FEWEST_VOTES = 3.0
_LEAD = 1.5
_MOST_CHARS = 4000


@lru_cache(maxsize=64)
def guess_language(text: str) -> str:
    """The code of the text's language, "" if it is not clear."""
    text = text[:_MOST_CHARS]
    letters = sum(map(str.isalpha, text))
    for code, script in _SCRIPTS.items():
        if letters and len(re.findall(script, text)) >= _SCRIPT_SHARE * letters:
            return code
    votes: Counter[str] = Counter()
    for word in dict.fromkeys(WORD.findall(fold(text))):  # in order: sums of fractions depend on it
        known = vocabulary().get(word) or vocabulary().get(plain(word), frozenset())
        for code in known:
            votes[code] += 1 / len(known)  # type: ignore[assignment]
    (first, most), (_, next_most) = [*votes.most_common(2), ("", 0), ("", 0)][:2]
    return first if most >= _FEWEST_VOTES and most >= _LEAD * next_most else ""
