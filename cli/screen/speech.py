"""A streamed answer: finished Markdown blocks are returned, the unfinished rest is kept as the tail."""

from __future__ import annotations

from markdown_it import MarkdownIt

from cli.screen.items import Spoken

_PARSER = MarkdownIt("commonmark").enable("table")
THOUGHT_KEPT = 400
"""Characters of the model's thinking that are kept for the live display."""


class Speech:
    """The message being streamed. The returned parts, joined, are its text byte for byte."""

    def __init__(self) -> None:
        self.message_id = self.tail = self.thinking = ""
        self._given = 0
        """Number of characters of the message already returned."""
        self._torn: set[str] = set()

    def think(self, text: str) -> None:
        self.thinking = (self.thinking + text)[-THOUGHT_KEPT:]

    def add(self, message_id: str, text: str) -> list[Spoken]:
        if message_id in self._torn:
            return []
        parts = self.finish() if message_id != self.message_id else []
        self.message_id, self.thinking = message_id, ""
        self.tail += text
        if "\n" in text:
            finished, self.tail = split_blocks(self.tail)
            self._given += len(finished)
            parts += [Spoken(finished)] if finished else []
        return parts

    def finish(self) -> list[Spoken]:
        """End the message. Returns its last part, [] if none is being streamed."""
        self.thinking = ""
        if not self.message_id:
            return []
        part = Spoken(self.tail, ends=True)
        self._forget()
        return [part]

    def complete(self, text: str) -> list[Spoken]:
        """End the message with its full `text`. Returns the part not yet returned."""
        self.tail = text[self._given :]
        return self.finish()

    def _forget(self) -> None:
        self.message_id = self.tail = ""
        self._given = 0

    def tear(self) -> bool:
        """Drop the message after missed tokens: it cannot continue. Returns whether one was streaming."""
        was_speaking = bool(self.message_id)
        self._torn.add(self.message_id)
        self._forget()
        return was_speaking


def split_blocks(text: str) -> tuple[str, str]:
    """Split into the blocks that more text can no longer change, and the rest.

    Only complete lines count: a lone `*` may still become a list, a rule or emphasis.
    """
    whole = text[: text.rfind("\n") + 1]
    starts = [token.map[0] for token in _PARSER.parse(whole) if token.level == 0 and token.map]
    if len(starts) < 2:
        return "", text
    lines = text.split("\n")
    finished = "\n".join(lines[: starts[-1]]) + "\n"
    return finished, text[len(finished) :]
