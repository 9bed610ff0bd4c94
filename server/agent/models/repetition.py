"""Notice that a model says the same again and again, as weak and overloaded ones do until their limit. Pure."""

from __future__ import annotations

_STEP = 1_000
"""Characters between two looks."""
_SHORT_WINDOW, _SHORT_UNIT = 4_000, 200
"""A line or element of at most 200 characters repeats over the last 4,000: at least twenty times."""
_LONG, _LONG_UNIT = 12_000, 1_500
"""The same for paragraphs. Also for units of fewer than two letters, of which real content has longer runs: rules,
empty tables, matrices of zeros, data in base64."""
_ANCHOR, _CANDIDATES = 32, 60
"""Units are looked for where the text's first characters return; so many places bound the cost for any text."""
_SHOWN_REPEAT_CHARS = 60


class Repetition:
    """Takes the pieces of one text. Counters that change ("row 1", "row 2") are no repetition."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._new = 0

    def feed(self, piece: str) -> str | None:
        """Add a piece. Returns the repeated words, shortened, once the text's end only repeats itself."""
        self._pieces.append(piece)
        self._new += len(piece)
        if self._new < _STEP:
            return None
        tail, self._new = "".join(self._pieces)[-_LONG:], 0
        self._pieces = [tail]
        unit = _repeated(tail[-_SHORT_WINDOW:], _SHORT_WINDOW, _SHORT_UNIT)
        if unit is None or (unit.strip() and len({char for char in unit if char.isalpha()}) < 2):
            unit = _repeated(tail, _LONG, _LONG_UNIT)
        if unit is None:
            return None
        before, _, after = (unit * 2).partition("\n")
        words = " ".join((after or before).split())
        return (
            words[:_SHOWN_REPEAT_CHARS] + "…" if len(words) > _SHOWN_REPEAT_CHARS else words
        ) or "white space"


def _repeated(text: str, length: int, longest: int) -> str | None:
    """The unit that a text of `length` consists of, if it has at most `longest` characters."""
    if len(text) < length:
        return None
    anchor, period = text[:_ANCHOR], 0
    for _ in range(_CANDIDATES):
        period = text.find(anchor, period + 1, longest + _ANCHOR)
        if period < 0:
            return None
        if text.startswith(text[period:]):
            return text[:period]
    return None
