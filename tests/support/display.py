"""What a terminal shows after the sequences that were written to it: text on an endless sheet."""

from __future__ import annotations

import codecs
import re

_SEQUENCE = re.compile(
    r"\x1b\[(?P<args>[0-9;?]*)(?P<end>[@-~])"
    r"|\x1b[\]_P].*?(?:\x07|\x1b\\)"
    r"|\x1b[()][A-Z0-9]|\x1b[=>78cM]"
    r"|(?P<move>[\r\n\b])|(?P<text>[^\x00-\x1f\x7f]+)|[\x00-\x1a\x1c-\x1f\x7f]",
    re.S,
)


class Display:
    """Cursor movements, erasing, wrapping. Colours are ignored, every character is one column wide."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self._rows: list[list[str]] = [[]]
        self._row = self._column = 0
        self._pending = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    @property
    def text(self) -> str:
        return "\n".join("".join(row).rstrip() for row in self._rows)

    def write(self, data: bytes) -> None:
        self._pending += self._decoder.decode(data)
        while match := _SEQUENCE.match(self._pending):
            self._pending = self._pending[match.end() :]
            if match["text"]:
                self._print(match["text"])
            elif match["move"]:
                self._move(match["move"])
            elif match["end"]:
                self._obey(match["end"], match["args"])

    def _print(self, text: str) -> None:
        for character in text:
            if self._column == self.columns:
                self._go(self._row + 1, 0)
            row = self._rows[self._row]
            row.extend(" " * (self._column + 1 - len(row)))
            row[self._column] = character
            self._column += 1

    def _move(self, character: str) -> None:
        if character == "\n":
            self._go(self._row + 1, self._column)
        else:
            self._column = 0 if character == "\r" else max(self._column - 1, 0)

    def _obey(self, end: str, arguments: str) -> None:
        number = int(arguments) if arguments.isdigit() else 0
        steps = max(number, 1)
        match end:
            case "A" | "B":
                self._go(self._row + (steps if end == "B" else -steps), self._column)
            case "C" | "D":
                self._go(self._row, self._column + (steps if end == "C" else -steps))
            case "K" | "J" if number == 0:
                del self._rows[self._row][self._column :]
                if end == "J":
                    del self._rows[self._row + 1 :]

    def _go(self, row: int, column: int) -> None:
        self._row, self._column = max(row, 0), min(max(column, 0), self.columns)
        while len(self._rows) <= self._row:
            self._rows.append([])
