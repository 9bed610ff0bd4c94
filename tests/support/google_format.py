"""A scripted reply as Gemini's `streamGenerateContent?alt=sse`, and its errors. Pure."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from tests.support.model_reply import Reply, deltas

_ids = itertools.count(1)
_STOPS = {"length": "MAX_TOKENS", "content_filter": "SAFETY"}
_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
GARBAGE = b'data: {"candidates": [{"content": {"parts": \r\n\r\n'
BROKEN_OFF = (
    b'data: {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}\r\n\r\n'
)
UNKNOWN = b'data: {"somethingNew": {"count": 1}}\r\n\r\n'


def stream(reply: Reply, body: dict[str, Any]) -> Iterator[bytes]:
    """Usage grows from chunk to chunk; thoughts are parts marked so; each call is one whole part."""
    tokens_in, tokens_out = reply.usage
    response_id = f"resp_{next(_ids)}"
    thinks = bool((body.get("generationConfig") or {}).get("thinkingConfig", {}).get("include_thoughts"))

    def event(parts: list[dict[str, Any]], stop: str | None = None) -> bytes:
        candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
        usage = {"promptTokenCount": tokens_in, "totalTokenCount": tokens_in}
        if reply.cached:
            usage["cachedContentTokenCount"] = reply.cached
        if stop:
            candidate["finishReason"] = stop
            usage |= {"candidatesTokenCount": tokens_out, "totalTokenCount": tokens_in + tokens_out}
        chunk = {
            "candidates": [candidate],
            "usageMetadata": usage,
            "modelVersion": body["model"],
            "responseId": response_id,
        }
        return b"data: " + orjson.dumps(chunk) + b"\r\n\r\n"

    if reply.fault == "block":
        yield b'data: {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}\r\n\r\n'
        return
    for text in deltas(reply.thinking) if thinks else ():
        yield event([{"text": text, "thought": True}])
    for text in deltas(reply.text):
        yield event([{"text": text}])
    made = [_function_call(call.name, call.id, call.json) for call in reply.calls]
    if None in made:
        yield event([], _STOPS.get(reply.stop or "", "MALFORMED_FUNCTION_CALL"))
        return
    for part in made:
        yield event([part])  # type: ignore[list-item]
    yield event([{"text": ""}], _STOPS.get(reply.stop or "", reply.stop) or "STOP")


def error(status: int, text: str, headers: dict[str, str] | None) -> dict[str, Any]:
    """The body of an error; the wish to wait is a detail of it, no header."""
    details: list[dict[str, Any]] = []
    if wait := (headers or {}).get("retry-after"):
        details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{wait}s"}]
    word = _STATUSES.get(status, "UNKNOWN")
    return {"error": {"code": status, "message": text, "status": word, "details": details}}


def refusal(body: dict[str, Any]) -> Iterator[str]:
    """The rules of contents: turns, non-empty parts, an answer to each call, schemas it can read."""
    contents = body.get("contents") or []
    if not contents:
        yield "* GenerateContentRequest.contents: contents is not specified"
    if contents and contents[0].get("role") != "user":
        yield "Please ensure that the first content has the role of user."
    for i, content in enumerate(contents):
        if not content.get("parts"):
            yield f"* GenerateContentRequest.contents[{i}].parts: contents.parts must not be empty."
        for part in content.get("parts") or ():
            if not set(part) & {"text", "inlineData", "functionCall", "functionResponse"}:
                yield f"* GenerateContentRequest.contents[{i}].parts: required oneof field 'data' must have one initialized field"
    yield from _order(contents)
    yield from _schemas(body)


def _order(contents: list[dict[str, Any]]) -> Iterator[str]:
    awaited: list[str] = []
    for content in contents:
        parts = content.get("parts") or ()
        given = [part["functionResponse"]["name"] for part in parts if "functionResponse" in part]
        if sorted(given) != sorted(awaited):
            yield (
                "Please ensure that the number of function response parts is equal to the number of function "
                "call parts of the function call turn."
            )
        awaited = [part["functionCall"]["name"] for part in parts if "functionCall" in part]
    if awaited:
        yield "Please ensure that function call turn comes immediately before a function response turn."


def _schemas(body: dict[str, Any]) -> Iterator[str]:
    config = body.get("generationConfig") or {}
    tools = body.get("tools") or []
    if tools and config.get("responseMimeType") == "application/json":
        yield "Function calling with a response mime type: 'application/json' is unsupported"
    names = [each["name"] for tool in tools for each in tool.get("functionDeclarations") or ()]
    if len(names) != len(set(names)):
        yield "Duplicate function declaration found"
    schemas: Iterable[Any] = (
        each.get("parameters") for tool in tools for each in tool.get("functionDeclarations") or ()
    )
    if any(
        "additionalProperties" in json.dumps(schema) or "$ref" in json.dumps(schema) for schema in schemas
    ):
        yield "Invalid JSON payload received. Unknown name \"additionalProperties\" at 'tools[0]': Cannot find field."


def _function_call(name: str, call_id: str, arguments: str) -> dict[str, Any] | None:
    """None when the model's arguments are no JSON: then no part comes, only a finish reason."""
    with contextlib.suppress(ValueError):
        call = {"name": name, "args": json.loads(arguments), "id": call_id}
        return {"functionCall": call, "thoughtSignature": "c2lnbmVk"}
    return None
