"""Extract the final answer piece by piece from a move that is still streaming as JSON. Pure.

A provider splits the move anywhere: inside a key, an escape or a surrogate pair. pydantic's JSON parser
parses the text received so far, and the new part of `final_response` is returned.
"""

from __future__ import annotations

from typing import Literal

from pydantic_core import from_json

from server.agent.storable import storable
from server.ops.json_types import JsonObject

_FIELD, _ACTION = "final_response", "stop"
_OPEN = f'{{"action":"{_ACTION}","{_FIELD}":"'
"""A move's JSON up to the beginning of its answer."""
_WINDOW = 500
"""Characters parsed again with each fragment; parsing from the start would make long answers ever slower."""
_SHORT = 2_000
"""Characters that may be parsed with each fragment. A longer window is parsed when it has grown by an eighth, so that
the cost of a move without an answer, or with one that continues after its end, grows with its length only."""
_LONGEST_ESCAPE = 12
"""Characters of an escaped surrogate pair."""


class AnswerStream:
    """Takes fragments of a move's JSON; returns new text of its answer once the action is `stop`."""

    def __init__(self) -> None:
        self.text = ""
        """All text returned so far."""
        self._fragments: list[str] = []
        self._window = ""
        """The text to parse: all, or `_OPEN` and what followed `_passed_on` characters of the answer."""
        self._passed_on = 0
        self._parsed = 0
        """Length of the window when it was last parsed."""
        self._has_action = False

    def feed(self, fragment: str) -> str:
        """Return the text that this fragment adds, often ""."""
        if not fragment:
            return ""
        self._fragments.append(fragment)
        self._window += fragment
        if not self._is_due(fragment):
            return ""
        self._parsed = len(self._window)
        move = _read(self._window, allow_partial="trailing-strings") or {}
        answer = move.get(_FIELD) if move.get("action") == _ACTION else None
        if not isinstance(answer, str) or not answer.startswith(self.text[self._passed_on :]):
            return ""
        new = answer[len(self.text) - self._passed_on :]
        self.text += new
        if len(self._window) > _WINDOW and "\\" not in self._window[-_LONGEST_ESCAPE:]:
            complete = _read(self._window, allow_partial=True)
            if complete is not None and _FIELD not in complete:  # the next character belongs to the answer
                self._window, self._passed_on = _OPEN, len(self.text)
        return new

    def _is_due(self, fragment: str) -> bool:
        """Whether to parse now: a short window, one that has grown, and once where the action follows the answer."""
        if len(self._window) <= _SHORT or len(self._window) >= self._parsed * 9 // 8:
            return True
        tail = self._window[-len(fragment) - len(_ACTION) - 1 :]
        if self._has_action or f'"{_ACTION}"' not in tail:
            return False
        self._has_action = True
        return True

    def complete(self) -> JsonObject | None:
        """The fields that arrived whole, even if the JSON after them is malformed; None if unparsable."""
        return _read("".join(self._fragments), allow_partial=True)


def _read(text: str, *, allow_partial: Literal[True, "trailing-strings"]) -> JsonObject | None:
    """Parse the first JSON object. None for other JSON, half a surrogate pair or a control character: the parser of
    the whole answer is less strict."""
    try:
        move = from_json(text, allow_partial=allow_partial)
    except ValueError:
        return None
    return storable(move) if isinstance(move, dict) else None
