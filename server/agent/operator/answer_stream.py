"""Pure: the final answer, letter by letter, out of a move that is still being written as JSON.

A provider sends the move in fragments cut anywhere: inside a key, an escape or a surrogate pair. The
reader follows the JSON's structure one character at a time and gives out decoded text of the top-level
string `final_response` as soon as it is known that the action is `stop`.
"""

from __future__ import annotations

_FIELD, _ACTION = "final_response", "stop"
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX = frozenset("0123456789abcdefABCDEF")


class StringDecoder:
    """Decodes the inside of one JSON string, a character at a time."""

    def __init__(self) -> None:
        self.is_closed = False
        self._escape = ""
        self._high = 0

    def feed(self, char: str) -> str:
        """The text that this character completes, often "". After the closing quote `is_closed` is true."""
        if self._escape:
            return self._in_escape(char)
        if char == "\\":
            self._escape = char
            return ""
        if char == '"':
            self.is_closed = True
            return self._give("")
        return self._give(char)

    def _in_escape(self, char: str) -> str:
        self._escape += char
        if self._escape[1] != "u":
            self._escape = ""
            return self._give(_ESCAPES.get(char, char))
        if len(self._escape) < 6:
            return ""
        digits, self._escape = self._escape[2:], ""
        return self._unit(int(digits, 16) if _HEX.issuperset(digits) else 0xFFFD)

    def _unit(self, code: int) -> str:
        """One UTF-16 unit: halves of a pair wait for each other."""
        if 0xD800 <= code < 0xDC00:
            given = self._give("")
            self._high = code
            return given
        if 0xDC00 <= code < 0xE000 and self._high:
            point = 0x10000 + ((self._high - 0xD800) << 10) + (code - 0xDC00)
            self._high = 0
            return chr(point)
        return self._give("\ufffd" if 0xDC00 <= code < 0xE000 else chr(code))

    def _give(self, text: str) -> str:
        """A half that stays alone becomes the replacement character, as a NUL does: neither can be stored."""
        alone, self._high = self._high, 0
        text = "\ufffd" if text == "\0" else text
        return "\ufffd" + text if alone else text


class AnswerReader:
    """Feeds on fragments of a move's JSON and returns new text of its answer."""

    def __init__(self) -> None:
        self.text = ""
        """All that was given out so far."""
        self.is_complete = False
        """True when the answer's closing quote was read."""
        self._depth = 0
        self._is_over = False
        self._key = ""
        self._read = ""
        self._is_key = True
        self._string: StringDecoder | None = None
        self._held = ""
        self._is_answer: bool | None = None

    def feed(self, fragment: str) -> str:
        new = "".join(map(self._step, fragment))
        self.text += new
        return new

    def _step(self, char: str) -> str:
        if self._is_over:
            return ""  # a second object is another move, and only the first one counts
        if self._string is not None:
            return self._in_string(self._string, char)
        if char == '"':
            self._string, self._read = StringDecoder(), ""
        elif char in "{[":
            self._depth += 1
            self._is_key = char == "{"
        elif char in "}]":
            self._depth -= 1
            self._is_over = self._depth <= 0
        elif char in ",:":
            self._is_key = char == ","
        return ""

    def _in_string(self, string: StringDecoder, char: str) -> str:
        text = string.feed(char)
        self._read += text
        given = self._answer(text) if self._is_top("value") and self._key == _FIELD else ""
        if string.is_closed:
            self._string = None
            given += self._close()
        return given

    def _close(self) -> str:
        if self._is_top("key"):
            self._key = self._read
        elif self._is_top("value") and self._key == "action":
            self._is_answer = self._read == _ACTION
            held, self._held = self._held, ""
            return held if self._is_answer else ""
        elif self._is_top("value") and self._key == _FIELD:
            self.is_complete = True
        return ""

    def _is_top(self, place: str) -> bool:
        return self._depth == 1 and self._is_key == (place == "key")

    def _answer(self, text: str) -> str:
        """Text is held back until the action is known; it is no answer if the action is another."""
        if self._is_answer is None:
            self._held += text
            return ""
        return text if self._is_answer else ""
