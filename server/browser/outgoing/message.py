"""What a page says over a WebSocket, as a request without its values. Pure.

There is no method and the path only names the channel: the message itself names what is done, in the field of a JSON
object, in a list (`["message", {...}]`, Socket.IO and Phoenix) or in the first line (STOMP, XMPP).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import cast

from server.browser.outgoing.request import (
    MAX_BODY_KEYS,
    MAX_PARSED,
    BodyShape,
    OutgoingRequest,
    read_operations,
    selects,
)
from server.browser.outgoing.words import SELECTORS, word_set
from server.ops.json_types import Json

MESSAGE = "MESSAGE"
"""Stands for the method of a message."""
_SELECTORS = SELECTORS | word_set("msg target verb intent kind")
"""Names of fields that say in a message what is done."""
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
    if len(text) <= MAX_PARSED and (head := _MESSAGE_HEAD.match(text)):
        value = _parsed(text[head.end() :].rstrip("\x1e\0 \r\n"))
    if not isinstance(value, dict | list):
        return _of_line(text)
    objects = list(_objects(value, 0))
    if operations := tuple(chain.from_iterable(map(read_operations, objects))):
        return BodyShape("graphql", operations=operations, length=len(text))
    keys = tuple(dict.fromkeys(chain.from_iterable(objects)))[:MAX_BODY_KEYS]
    return BodyShape("json", keys, tuple(_said(value, 0))[-8:], (), len(text))


def _parsed(text: str) -> Json:
    try:
        return cast(Json, json.loads(text))
    except (ValueError, RecursionError):
        return None


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
    match value:
        case dict():
            for name, part in value.items():
                if isinstance(part, str) and selects(name, part, _SELECTORS):
                    yield name, part
        case [_, _, _, event, dict()]:  # Phoenix: two numbers, the topic, the event
            yield from _labels([event])
        case [_, _, *_]:
            yield from _labels(value[:6])
    for inner in _inner(value) if depth < _DEEPEST else ():
        yield from _said(inner, depth + 1)


def _labels(texts: Sequence[Json]) -> list[tuple[str, str]]:
    return [("event", one) for one in texts if isinstance(one, str) and _EVENT_LABEL.fullmatch(one)][:1]


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
            part = _parsed(part[:MAX_PARSED])
        if isinstance(part, dict | list):
            yield part
