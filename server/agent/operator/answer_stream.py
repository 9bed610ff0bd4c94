"""Pure: the final answer, piece by piece, out of a move that is still being written as JSON.

A provider sends the move in fragments cut anywhere: inside a key, an escape or a surrogate pair. pydantic's JSON
parser reads what has arrived so far, and what is new in `final_response` is given out.
"""

from __future__ import annotations

from typing import Any

from pydantic_core import from_json

from server.agent.storable import storable

_FIELD, _ACTION = "final_response", "stop"
_OPEN = f'{{"action":"{_ACTION}","{_FIELD}":"'
"""A move whose answer is being written."""
_WINDOW = 500
"""Characters that are read anew with each fragment; read from the beginning, long answers would cost ever more."""
_LONGEST_ESCAPE = 12
"""Characters of a surrogate pair."""


class AnswerStream:
    """Takes fragments of a move's JSON and gives new text of its answer, once the action is known to be `stop`."""

    def __init__(self) -> None:
        self.text = ""
        """All that was given out so far."""
        self._fragments: list[str] = []
        self._window = ""
        """What is read: the whole, or `_OPEN` and what came after `_told` characters of the answer."""
        self._told = 0

    def feed(self, fragment: str) -> str:
        """The text that this fragment adds, often ""."""
        if not fragment:
            return ""
        self._fragments.append(fragment)
        self._window += fragment
        move = _read(self._window, allow_partial="trailing-strings") or {}
        answer = move.get(_FIELD) if move.get("action") == _ACTION else None
        if not isinstance(answer, str) or not answer.startswith(self.text[self._told :]):
            return ""
        new = answer[len(self.text) - self._told :]
        self.text += new
        if len(self._window) > _WINDOW and self._is_inside_answer():
            self._window, self._told = _OPEN, len(self.text)
        return new

    def complete(self) -> dict[str, Any] | None:
        """The fields of the move that arrived whole, whatever is wrong behind them; None when they cannot be read."""
        return _read("".join(self._fragments), allow_partial=True)

    def _is_inside_answer(self) -> bool:
        """Whether the next character belongs to the answer, and no escape is half written."""
        complete = _read(self._window, allow_partial=True)
        return complete is not None and _FIELD not in complete and "\\" not in self._window[-_LONGEST_ESCAPE:]


def _read(text: str, *, allow_partial: Any) -> dict[str, Any] | None:
    """The first JSON object; None for other JSON, and for half a surrogate pair or a control character in it:
    LangChain's parser, which reads the whole answer at its end, is less strict."""
    try:
        move = from_json(text, allow_partial=allow_partial)
    except ValueError:
        return None
    return storable(move) if isinstance(move, dict) else None
