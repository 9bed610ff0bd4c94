"""A scripted reply as Ollama's `/api/chat`: a JSON object a line. Pure."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import orjson

from tests.support.model_reply import Reply, deltas

GARBAGE = b'{"model": "m", "message": {"role": "assistant", "content": \n'
BROKEN_OFF = b'{"error": "an error was encountered while running the model: CUDA error"}\n'
UNKNOWN = (
    b'{"model": "m", "something_new": 1, "message": {"role": "assistant", "content": ""}, "done": false}\n'
)


def stream(reply: Reply, body: dict[str, Any]) -> Iterator[bytes]:
    """A model thinks unless `think` is off; calls come complete, usage with the last line."""

    def line(message: dict[str, Any], **more: Any) -> bytes:
        head = {"model": body["model"], "created_at": "2026-11-22T02:00:00.123456789Z"}
        message = {"role": "assistant", "content": "", **message}
        return orjson.dumps(head | {"message": message, "done": False} | more) + b"\n"

    for text in deltas(reply.thinking) if body.get("think") is not False else ():
        yield line({"thinking": text})
    for text in deltas(reply.text):
        yield line({"content": text})
    for call in reply.calls if reply.stop != "length" else ():
        yield line(_message_of(call.name, call.json))
    tokens_in, tokens_out = reply.usage
    yield line(
        {},
        done=True,
        done_reason=reply.stop or "stop",
        total_duration=5_000_000,
        load_duration=1_000_000,
        prompt_eval_count=tokens_in,
        prompt_eval_duration=1_000_000,
        eval_count=tokens_out,
        eval_duration=3_000_000,
    )


def error(text: str) -> dict[str, Any]:
    return {"error": text}


def refusal(body: dict[str, Any]) -> Iterator[str]:
    """What its decoder of requests does not take, and what some models do not."""
    for message in body.get("messages") or ():
        if not isinstance(message.get("content", ""), str):
            yield "json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string"
    if body.get("think") and "think" not in body["model"]:
        yield f'"{body["model"]}" does not support thinking'
    if (body.get("options") or {}).get("num_ctx", 4096) < 8192:
        yield "the test's prompts would be cut"


def _message_of(name: str, arguments: str) -> dict[str, Any]:
    """Arguments that are no JSON are no call for Ollama: the model's text stays as it was written."""
    with contextlib.suppress(ValueError):
        return {"tool_calls": [{"function": {"name": name, "arguments": json.loads(arguments)}}]}
    return {"content": f'{{"name": "{name}", "arguments": {arguments}'}
