"""What a page says over a WebSocket, as a request without its values. Pure.

There is no method and the path only names the channel: the message itself names what is done, in the field of a JSON
object, in a list (`["message", {...}]`, Socket.IO and Phoenix) or in the first line (STOMP, XMPP).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from server.browser.outgoing.request import (
    MAX_BODY_KEYS,
    MAX_PARSED,
    ONE_WORD,
    BodyShape,
    OutgoingRequest,
    read_operations,
    selects,
)
from server.browser.outgoing.words import word_set
from server.ops.json_types import Json

MESSAGE = "MESSAGE"
"""Stands for the method of a message."""
_VERB_KEYS = word_set("msg target verb intent kind")
"""Names of fields that say in a message what is done, besides those of requests."""
_WRAPPERS = word_set("payload data params body args arguments identifier message value content")
"""Fields with what the message is about, as an object, a list, or JSON in a text."""
_EVENT_LABEL = re.compile(r"[A-Za-z][A-Za-z _.:\-]{1,39}")
_MESSAGE_HEAD = re.compile(r"\d{0,6}(?:/[\w/-]*,)?(?=[\[{])|^")
"""Before the JSON of Engine.IO and Socket.IO: kind, acknowledgement, namespace."""
_FIRST_LINE = re.compile(r"<?([A-Za-z][A-Za-z-]{1,30})\b(?:[^\0]*?\ndestination:[/\w.]*?([\w.-]+)\r?\n)?")
_DEEPEST = 3


def read_message(url: str, opcode: int, text: str) -> OutgoingRequest:
    """`url` is that of the socket; `text` is base64 unless `opcode` is 1, that of a text."""
    where = re.sub(r"^ws", "http", url[:8000])
    return OutgoingRequest(MESSAGE, where, "WebSocket", _shape(text) if opcode == 1 else BodyShape("unknown"))


def _shape(text: str) -> BodyShape:
    if not any(letter.isalpha() for letter in text[:MAX_PARSED]):
        return BodyShape()  # a sign of life: `2`, `[]`
    value: Json = None
    if len(text) <= MAX_PARSED:
        try:
            value = json.loads(text[_MESSAGE_HEAD.match(text).end() :].rstrip("\x1e\0 \r\n"))  # type: ignore[union-attr]
        except (ValueError, RecursionError):
            value = None
    if not isinstance(value, dict | list):
        return _of_line(text)
    found = list(_said(value, 0))
    operations = tuple(op for one in _objects(value, 0) for op in read_operations(one))
    if operations:
        return BodyShape("graphql", operations=operations, length=len(text))
    keys = tuple(dict.fromkeys(key for one in _objects(value, 0) for key in one))[:MAX_BODY_KEYS]
    return BodyShape("json", keys, tuple(found[-8:]), (), len(text))


def _of_line(text: str) -> BodyShape:
    """`SEND` with its destination, the outermost element of XML; else nothing is known."""
    found = _FIRST_LINE.match(text.lstrip())
    if found is None or not (text.lstrip().startswith("<") or found[2]):
        return BodyShape("text", length=len(text))
    return BodyShape(
        "text", selectors=tuple(("event", one) for one in found.groups() if one), length=len(text)
    )


def _said(value: Json, depth: int) -> Iterator[tuple[str, str]]:
    """Name and value of what says what is done, the most specific last."""
    if isinstance(value, list):
        is_phoenix = len(value) == 5 and isinstance(value[4], dict)  # two numbers, the topic, the event
        texts = value[3:4] if is_phoenix else value[:6]
        named = (one for one in texts if isinstance(one, str) and _EVENT_LABEL.fullmatch(one))
        yield from (("event", one) for one in list(named)[:1] if len(value) > 1)
    elif isinstance(value, dict):
        for name, part in value.items():
            if isinstance(part, str) and (selects(name, part) or _selects_here(name, part)):
                yield name, part
    for inner in _inner(value) if depth < _DEEPEST else ():
        yield from _said(inner, depth + 1)


def _selects_here(name: str, value: str) -> bool:
    return name.lower() in _VERB_KEYS and ONE_WORD.fullmatch(value) is not None


def _objects(value: Json, depth: int) -> Iterator[dict[str, Json]]:
    if isinstance(value, dict):
        yield value
    for inner in _inner(value) if depth < _DEEPEST else ():
        yield from _objects(inner, depth + 1)


def _inner(value: Json) -> Iterator[Json]:
    parts = (
        value[:10] if isinstance(value, list)
        else [part for name, part in value.items() if name.lower() in _WRAPPERS] if isinstance(value, dict) else []
    )  # fmt: skip
    for part in parts:
        if isinstance(part, str) and part[:1] in ("{", "["):
            try:
                part = json.loads(part[:MAX_PARSED])
            except (ValueError, RecursionError):
                continue
        if isinstance(part, dict | list):
            yield part
