"""Joins neighbouring text deltas of a model's event stream that arrived together. Pure; bytes in, bytes out.

An idle service passes every event alone, as it came. A busy one finds several at the socket, and everything above,
SDK, LangChain, graph, our events, is then paid once for all of them. Only plain text and thinking deltas are
joined; whatever looks different in any way, tool arguments, usage and finish events first of all, passes untouched.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson

_VOLATILE = ("obfuscation", "sequence_number")
_CHAT_TEXT = ("content", "reasoning_content", "reasoning")
_EVENT_TYPES = {
    "content_block_delta": ("text", "thinking"),
    "response.output_text.delta": ("delta",),
    "response.reasoning_summary_text.delta": ("delta",),
}


@dataclass
class _Delta:
    """One event that carries text: `holder[key]` is the text, `shape` everything else about it."""

    head: bytes
    payload: dict[str, Any]
    holder: dict[str, Any]
    key: str
    shape: object

    def as_bytes(self) -> bytes:
        return self.head + b"data: " + orjson.dumps(self.payload)


class DeltaJoiner:
    """Feed it what was read from the socket; it gives back whole events, and the rest when the stream ends."""

    def __init__(self) -> None:
        self._tail = b""
        self._passes = False

    def feed(self, data: bytes) -> bytes:
        """The events that are complete now, joined where they may be; empty when none is."""
        data, self._tail = self._tail + data, b""
        if self._passes or b"\r" in data:
            self._passes = True
            return data
        end = data.rfind(b"\n\n") + 2
        if end < 2:
            self._tail = data
            return b""
        self._tail = data[end:]
        events = data[: end - 2].split(b"\n\n")
        return data[:end] if len(events) == 1 else _join(events)

    def flush(self) -> bytes:
        tail, self._tail = self._tail, b""
        return tail


def _join(events: Iterable[bytes]) -> bytes:
    out: list[bytes] = []
    open_: _Delta | None = None
    raw = b""
    count = 0
    for event in events:
        delta = _read_delta(event)
        if open_ and delta and delta.shape == open_.shape:
            open_.holder[open_.key] += delta.holder[delta.key]
            count += 1
            continue
        if open_:
            out.append(open_.as_bytes() if count > 1 else raw)
        open_, raw, count = delta, event, 1
        if delta is None:
            out.append(event)
    if open_:
        out.append(open_.as_bytes() if count > 1 else raw)
    return b"\n\n".join(out) + b"\n\n"


def _read_delta(event: bytes) -> _Delta | None:
    head, marker, data = event.partition(b"data: ")
    if not marker or b"\n" in data or (head and not (head.startswith(b"event: ") and head.count(b"\n") == 1)):
        return None
    try:
        payload = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(payload, dict):
        return None
    if "choices" in payload:
        return _chat_delta(head, payload)
    return _event_delta(head, payload)


def _event_delta(head: bytes, payload: dict[str, Any]) -> _Delta | None:
    """Anthropic Messages and OpenAI Responses: the event's type says what it is."""
    keys = _EVENT_TYPES.get(str(payload.get("type")))
    if keys is None or payload.get("logprobs"):
        return None
    holder = payload["delta"] if isinstance(payload.get("delta"), dict) else payload
    return _delta(head, payload, holder, keys, whole=holder is not payload)


def _chat_delta(head: bytes, payload: dict[str, Any]) -> _Delta | None:
    """OpenAI Chat Completions: one choice, a delta of nothing but one text."""
    choices = payload["choices"]
    if payload.get("usage") or not isinstance(choices, list) or len(choices) != 1:
        return None
    choice = choices[0]
    if not isinstance(choice, dict) or choice.get("finish_reason") or choice.get("logprobs"):
        return None
    holder = choice.get("delta")
    return _delta(head, payload, holder, _CHAT_TEXT, whole=True) if isinstance(holder, dict) else None


def _delta(
    head: bytes, payload: dict[str, Any], holder: dict[str, Any], keys: tuple[str, ...], *, whole: bool
) -> _Delta | None:
    """`whole`: the holder may have nothing beside the text but a role or type, and empty values."""
    key = next((k for k in keys if isinstance(holder.get(k), str) and holder[k]), None)
    if key is None:
        return None
    if whole and any(v for k, v in holder.items() if k not in (key, "role", "type")):
        return None
    text = holder[key]
    holder[key] = ""
    shape = (head, key, orjson.dumps({k: v for k, v in payload.items() if k not in _VOLATILE}))
    holder[key] = text
    return _Delta(head, payload, holder, key, shape)
