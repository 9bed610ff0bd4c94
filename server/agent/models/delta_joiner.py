"""Merge adjacent text deltas of a model's event stream that arrived together. Pure; bytes in, bytes out.

An idle service passes on every event unchanged. A busy one reads several at once; merging them means that
SDK, LangChain, graph and our own events handle them once. Only plain deltas of a text, a thought or a call's
arguments are merged. All other events, such as usage and finish events, are passed on unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass

import orjson

from server.ops.json_types import Json, JsonObject

joins_deltas: ContextVar[bool] = ContextVar("joins_deltas", default=True)
"""False where each event is wanted as the server sent it. Ollama's lines follow it, too."""
_CHAT_TEXT = ("content", "reasoning_content", "reasoning")
_CHANGING = ("sequence_number", "usageMetadata")
"""What differs from event to event and of which only the newest counts."""
_EVENT_TYPES = {
    "content_block_delta": ("text", "thinking", "partial_json"),
    "response.function_call_arguments.delta": ("delta",),
    "response.output_text.delta": ("delta",),
    "response.reasoning_summary_text.delta": ("delta",),
}
_LARGE = 16_384
"""Bytes of an event that is not worth being joined: to find its text takes longer than to hand it on."""
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')


@dataclass(slots=True)
class _Delta:
    """One event with text. The text is removed from `payload`, and so is what `newest` holds: Responses' number of the
    event, Google's usage so far.

    `around` is what stands before and after the text in `raw`: found when the next event arrives, None before;
    two times b"" if more than the text differs from event to event.
    """

    raw: bytes
    head: bytes
    payload: JsonObject
    holder: JsonObject
    key: str
    newest: JsonObject
    texts: list[str]
    around: tuple[bytes, bytes] | None = None

    def takes_unparsed(self, event: bytes) -> bool:
        """Add the text of an event whose bytes differ only in it. False, and nothing added, for any other event.

        The events of Chat Completions and of Anthropic are such; to parse each of them costs ten times as much.
        """
        before, after = self.around = self.around or self._find_around()
        if not (before and event.startswith(before) and event.endswith(after)):
            return False
        try:
            text = orjson.loads(event[len(before) - 1 : len(event) - len(after) + 1])
        except orjson.JSONDecodeError:
            return False
        self.texts.append(text)
        return True

    def _find_around(self) -> tuple[bytes, bytes]:
        """Up to the quote before the text, and from the quote after it; two times b"" if that is not certain."""
        marker = b'"%s":' % self.key.encode()
        if self.raw.count(marker) != 1:
            return b"", b""
        found = _STRING.search(self.raw, self.raw.index(marker) + len(marker))
        if found is None or orjson.loads(found.group()) != self.texts[0]:
            return b"", b""
        return self.raw[: found.start() + 1], self.raw[found.end() - 1 :]

    def takes(self, other: _Delta) -> bool:
        """Add another event that differs only in its text. False, and nothing added, for any other."""
        if (self.payload, self.key, self.head) != (other.payload, other.key, other.head):
            return False
        self.texts += other.texts
        self.newest |= other.newest
        return True

    def as_bytes(self) -> bytes:
        if len(self.texts) == 1:
            return self.raw
        self.holder[self.key] = "".join(self.texts)
        return self.head + b"data: " + orjson.dumps(self.payload | self.newest)


class DeltaJoiner:
    """Takes bytes read from the socket and returns complete events. `flush` returns the rest at the end."""

    def __init__(self) -> None:
        self._tail: list[bytes] = []
        self._data_lines = 0
        self._passes = False
        self._open_end = b""

    def feed(self, data: bytes) -> bytes:
        """Add bytes. Returns the events that are now complete, merged where possible; b"" if none is.

        Line ends become "\\n"; those of another kind than "\\n" and Google's "\\r\\n" pass as they are.
        """
        data = self._open_end + data
        self._open_end = b"\r" if data.endswith(b"\r") else b""
        data = data[: len(data) - len(self._open_end)].replace(b"\r\n", b"\n")
        before = b"\n" if not self._tail or self._tail[-1].endswith(b"\n") else b""
        seen = before + data
        last_end = seen.rfind(b"\n\n")
        self._data_lines += seen.count(b"\ndata:") if last_end < 0 else 0
        if self._passes or b"\r" in data or self._data_lines > 1:
            self._passes = True  # lines of another kind, or events without a blank line between them
            return self._take_tail() + data
        if last_end < 0:
            self._tail.append(data)
            return b""
        end = last_end + 2 - len(before)
        whole, rest = self._take_tail() + data[:end], data[end:]
        self._tail, self._data_lines = [rest] if rest else [], (b"\n" + rest).count(b"\ndata:")
        events = whole[:-2].split(b"\n\n")
        return whole if len(events) == 1 else _join(events)

    def flush(self) -> bytes:
        return self._take_tail() + self._open_end

    def _take_tail(self) -> bytes:
        tail, self._tail = b"".join(self._tail), []
        return tail


def _join(events: Iterable[bytes]) -> bytes:
    out: list[bytes] = []
    last: _Delta | None = None
    for event in events:
        if last and last.takes_unparsed(event):
            continue
        delta = _read_delta(event)
        if last and delta and last.takes(delta):
            continue
        if last:
            out.append(last.as_bytes())
        if delta is None:
            out.append(event)
        last = delta
    if last:
        out.append(last.as_bytes())
    return b"\n\n".join(out) + b"\n\n"


def _read_delta(event: bytes) -> _Delta | None:
    head, marker, data = event.partition(b"data: ")
    if (
        len(data) > _LARGE
        or not marker
        or b"\n" in data
        or (head and not (head.startswith(b"event: ") and head.count(b"\n") == 1))
    ):
        return None
    try:
        payload = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    found = _find_text(payload) if isinstance(payload, dict) else None
    if found is None:
        return None
    holder, key = found
    padding = payload.pop("obfuscation", None)
    newest = {name: payload.pop(name) for name in _CHANGING if name in payload}
    text, holder[key] = holder[key], ""
    differs = padding is not None or "sequence_number" in newest
    return _Delta(event, head, payload, holder, key, newest, [text], (b"", b"") if differs else None)


def _find_text(payload: JsonObject) -> tuple[JsonObject, str] | None:
    """The dict and key of a delta's text; None for any other event."""
    if "choices" in payload:
        return _find_chat_text(payload)
    if "candidates" in payload:
        return _find_google_text(payload)
    keys = _EVENT_TYPES.get(str(payload.get("type")))
    if keys is None or payload.get("logprobs"):
        return None
    delta = payload.get("delta")
    return _only_text(delta, keys) if isinstance(delta, dict) else _with_text(payload, keys)


def _find_chat_text(payload: JsonObject) -> tuple[JsonObject, str] | None:
    """The same for OpenAI Chat Completions: one choice whose delta has a single text only."""
    choices = payload["choices"]
    if payload.get("usage") or not isinstance(choices, list) or len(choices) != 1:
        return None
    choice = choices[0]
    if not isinstance(choice, dict) or choice.get("finish_reason") or choice.get("logprobs"):
        return None
    match delta := choice.get("delta") or {}:
        case {"tool_calls": [{"index": _, "function": {"arguments": str(_)} as function} as call]}:
            others = (
                (delta, "tool_calls", "role"),
                (call, "index", "function", "type"),
                (function, "arguments"),
            )
            said = [value for one, *known in others for name, value in one.items() if name not in known]
            return None if any(said) else _with_text(function, ("arguments",))
    return _only_text(delta, _CHAT_TEXT)


def _find_google_text(payload: JsonObject) -> tuple[JsonObject, str] | None:
    """The same for Google: one candidate without a finish reason, with one part that is a text or a thought."""
    match payload["candidates"]:
        case [{"content": {"parts": [{"text": str()} as part], **of_content}, **of_candidate}]:
            is_plain = part.keys() <= {"text", "thought"} and of_content.keys() <= {"role"}
            return _with_text(part, ("text",)) if is_plain and of_candidate.keys() <= {"index"} else None
    return None


def _with_text(holder: JsonObject, keys: tuple[str, ...]) -> tuple[JsonObject, str] | None:
    key = next((k for k in keys if isinstance(holder.get(k), str) and holder[k]), None)
    return (holder, key) if key else None


def _only_text(holder: Json, keys: tuple[str, ...]) -> tuple[JsonObject, str] | None:
    """As `_with_text`, only if the holder has no other values than a role or type, apart from empty ones."""
    if not isinstance(holder, dict):
        return None
    found = _with_text(holder, keys)
    if found is None or any(v for k, v in holder.items() if k not in (found[1], "role", "type")):
        return None
    return found
