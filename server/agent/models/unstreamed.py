"""Turn the answer of a server that does not stream into the stream that was asked for. Pure.

Some gateways answer a request for a stream by one JSON object; the SDKs know streams only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from server.ops.json_types import JsonObject


def is_unstreamed(beginning: bytes) -> bool:
    """Whether a body begins as JSON, and not as Ollama's lines of it."""
    begun = beginning.lstrip()
    return begun[:1] in (b"{", b"[") and b'"done":' not in begun.partition(b"\n")[0]


def as_stream(body: bytes) -> bytes:
    """The events that say what the body says; the body itself if it is no whole answer of a known API."""
    try:
        answer: Any = orjson.loads(body)
    except orjson.JSONDecodeError:
        return body
    match answer:
        case {"type": "error"}:
            return b"".join(_events(iter([answer])))
        case {"type": "message", "role": "assistant", "content": list()}:
            return b"".join(_events(_of_anthropic(answer)))
        case {"object": "response", "output": list()}:
            return b"".join(_events(_of_responses(answer)))
        case {"candidates": list()}:
            return b"data: %b\n\n" % orjson.dumps(answer)
        case [{"candidates": list()}, *_]:
            return b"".join(b"data: %b\n\n" % orjson.dumps(part) for part in answer)
        case {"choices": list()} | {"error": dict()}:
            return b"data: %b\n\ndata: [DONE]\n\n" % orjson.dumps(answer)
        case {"message": dict(), "done": True}:
            return orjson.dumps(answer) + b"\n"
    return body


def _events(events: Iterator[JsonObject]) -> Iterator[bytes]:
    for event in events:
        yield b"event: %b\ndata: %b\n\n" % (event["type"].encode(), orjson.dumps(event))


def _of_anthropic(message: JsonObject) -> Iterator[JsonObject]:
    begun = message | {"content": [], "stop_reason": None, "usage": {"input_tokens": 0, "output_tokens": 0}}
    yield {"type": "message_start", "message": begun}
    for index, block in enumerate(message["content"]):
        yield {"type": "content_block_start", "index": index, "content_block": block}
        yield {"type": "content_block_stop", "index": index}
    end = {"stop_reason": message.get("stop_reason"), "stop_sequence": message.get("stop_sequence")}
    usage = {"input_tokens": 0, "output_tokens": 0} | (message.get("usage") or {})
    yield {"type": "message_delta", "delta": end, "usage": usage}
    yield {"type": "message_stop"}


def _of_responses(response: JsonObject) -> Iterator[JsonObject]:
    yield {"type": "response.created", "response": response | {"output": [], "status": "in_progress"}}
    for place, item in enumerate(response["output"]):
        where = {"output_index": place, "item_id": item.get("id") or f"item_{place}"}
        yield {"type": "response.output_item.added", "item": item} | where
        for index, part in enumerate(item.get("content") or () if item.get("type") == "message" else ()):
            if part.get("type") == "refusal":
                yield {
                    "type": "response.refusal.done",
                    "refusal": part["refusal"],
                    "content_index": index,
                } | where
            elif text := part.get("text"):
                yield {"type": "response.output_text.delta", "delta": text, "content_index": index} | where
        yield {"type": "response.output_item.done", "item": item} | where
    status = response.get("status") if response.get("status") in ("failed", "incomplete") else "completed"
    yield {"type": f"response.{status}", "response": response}
