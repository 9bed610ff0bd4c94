"""A scripted reply as the event streams of Anthropic Messages, OpenAI Chat Completions and OpenAI Responses, and of
the other providers from their own modules. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import orjson

from tests.support import google_format, ollama_format
from tests.support.model_reply import Reply, Wire, deltas

Event = bytes
_ids = itertools.count(1)


def stream(wire: Wire, reply: Reply, body: dict[str, Any]) -> Iterator[Event]:
    """The events of one answer, made when asked for: a lazy text is read as it is sent."""
    return _STREAMS[wire](reply, body)


def _event(payload: dict[str, Any], *, named: bool = True) -> Event:
    head = f"event: {payload['type']}\n".encode() if named else b""
    return head + b"data: " + orjson.dumps(payload) + b"\n\n"


def _pieces(arguments: str) -> list[str]:
    return [arguments[i : i + 12] for i in range(0, len(arguments), 12)] or [""]


def _anthropic(reply: Reply, body: dict[str, Any]) -> Iterator[Event]:
    tokens_in, tokens_out = reply.usage
    usage = {
        "input_tokens": tokens_in - reply.cached,
        "output_tokens": 1,
        "cache_read_input_tokens": reply.cached,
        "cache_creation_input_tokens": 0,
    }
    message = {
        "id": f"msg_{next(_ids)}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    yield _event({"type": "message_start", "message": message})
    yield _event({"type": "ping"})
    index = itertools.count()
    if reply.thinking:
        more = [{"type": "signature_delta", "signature": "c2lnbmVk"}]
        start = {"type": "thinking", "thinking": "", "signature": ""}
        found = ({"type": "thinking_delta", "thinking": t} for t in deltas(reply.thinking))
        yield from _anthropic_block(next(index), start, itertools.chain(found, more))
    if reply.text:
        found = ({"type": "text_delta", "text": t} for t in deltas(reply.text))
        yield from _anthropic_block(next(index), {"type": "text", "text": ""}, found)
    for made in reply.calls:
        start = {"type": "tool_use", "id": f"toolu_{made.id}", "name": made.name, "input": {}}
        found = ({"type": "input_json_delta", "partial_json": p} for p in ["", *_pieces(made.json)])
        yield from _anthropic_block(next(index), start, found)
    stop = {"length": "max_tokens", "content_filter": "refusal"}.get(reply.stop or "", reply.stop)
    stop = stop or ("tool_use" if reply.calls else "end_turn")
    yield _event(
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": None},
            "usage": usage | {"output_tokens": tokens_out},
        }
    )
    yield _event({"type": "message_stop"})


def _anthropic_block(index: int, start: dict[str, Any], parts: Iterable[dict[str, Any]]) -> Iterator[Event]:
    yield _event({"type": "content_block_start", "index": index, "content_block": start})
    for part in parts:
        yield _event({"type": "content_block_delta", "index": index, "delta": part})
    yield _event({"type": "content_block_stop", "index": index})


def _chat(reply: Reply, body: dict[str, Any]) -> Iterator[Event]:
    head = {
        "id": f"chatcmpl-{next(_ids)}",
        "object": "chat.completion.chunk",
        "created": 1_790_000_000,
        "model": body["model"],
        "service_tier": "default",
        "system_fingerprint": "fp_1",
    }

    def chunk(delta: dict[str, Any], finish: str | None = None) -> Event:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return _event(head | {"choices": [choice], "usage": None}, named=False)

    yield chunk({"role": "assistant", "content": "", "refusal": None})
    for text in deltas(reply.thinking):
        yield chunk({"reasoning_content": text})
    for text in deltas(reply.text):
        yield chunk({"content": text})
    for i, made in enumerate(reply.calls):
        function = {"name": made.name, "arguments": ""}
        yield chunk(
            {"tool_calls": [{"index": i, "id": made.id or None, "type": "function", "function": function}]}
        )
        for piece in _pieces(made.json):
            yield chunk({"tool_calls": [{"index": i, "function": {"arguments": piece}}]})
    yield chunk({}, reply.stop or ("tool_calls" if reply.calls else "stop"))
    if (body.get("stream_options") or {}).get("include_usage"):
        tokens_in, tokens_out = reply.usage
        usage = {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
            "prompt_tokens_details": {"cached_tokens": reply.cached},
        }
        yield _event(head | {"choices": [], "usage": usage}, named=False)
    yield b"data: [DONE]\n\n"


def _responses(reply: Reply, body: dict[str, Any]) -> Iterator[Event]:
    number = itertools.count()
    items: list[dict[str, Any]] = []
    tokens_in, tokens_out = reply.usage
    response_id = f"resp_{next(_ids)}"

    def event(type_: str, **fields: Any) -> Event:
        return _event({"type": type_, "sequence_number": next(number), **fields})

    def response(status: str, **fields: Any) -> dict[str, Any]:
        return {
            "id": response_id,
            "object": "response",
            "created_at": 1_790_000_000,
            "status": status,
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "metadata": {},
            "model": body["model"],
            "output": items,
            "parallel_tool_calls": False,
            "temperature": 1.0,
            "tool_choice": "auto",
            "tools": [],
            "top_p": 1.0,
            "usage": None,
            **fields,
        }

    yield event("response.created", response=response("in_progress"))
    yield event("response.in_progress", response=response("in_progress"))
    if reply.thinking:
        yield from _responses_thinking(reply, items, event)
    if reply.text:
        yield from _responses_text(reply, items, event)
    for made in reply.calls:
        yield from _responses_call(made, items, event)
    usage = {
        "input_tokens": tokens_in,
        "output_tokens": tokens_out,
        "total_tokens": tokens_in + tokens_out,
        "input_tokens_details": {"cached_tokens": reply.cached},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    if reply.stop in ("length", "content_filter"):
        details = {"reason": "max_output_tokens" if reply.stop == "length" else "content_filter"}
        end = response("incomplete", usage=usage, incomplete_details=details)
        yield event("response.incomplete", response=end)
    else:
        yield event("response.completed", response=response("completed", usage=usage))


def _responses_thinking(
    reply: Reply, items: list[dict[str, Any]], event: Callable[..., Event]
) -> Iterator[Event]:
    at, item = len(items), {"id": f"rs_{next(_ids)}", "type": "reasoning", "summary": []}
    where = {"item_id": item["id"], "output_index": at, "summary_index": 0}
    yield event("response.output_item.added", output_index=at, item=item)
    yield event("response.reasoning_summary_part.added", **where, part={"type": "summary_text", "text": ""})
    whole = ""
    for text in deltas(reply.thinking):
        whole += text
        yield event("response.reasoning_summary_text.delta", **where, delta=text)
    yield event("response.reasoning_summary_text.done", **where, text=whole)
    item = item | {"summary": [{"type": "summary_text", "text": whole}]}
    items.append(item)
    yield event("response.output_item.done", output_index=at, item=item)


def _responses_text(
    reply: Reply, items: list[dict[str, Any]], event: Callable[..., Event]
) -> Iterator[Event]:
    at = len(items)
    item: dict[str, Any] = {
        "id": f"msg_{next(_ids)}",
        "type": "message",
        "role": "assistant",
        "status": "in_progress",
    }
    where = {"item_id": item["id"], "output_index": at, "content_index": 0}
    part: dict[str, Any] = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
    yield event("response.output_item.added", output_index=at, item=item | {"content": []})
    yield event("response.content_part.added", **where, part=part)
    whole: list[str] = []
    for text in deltas(reply.text):
        whole.append(text)
        yield event(
            "response.output_text.delta", **where, delta=text, logprobs=[], obfuscation="x" * (len(text) % 7)
        )
    part = part | {"text": "".join(whole)}
    yield event("response.output_text.done", **where, text=part["text"], logprobs=[])
    yield event("response.content_part.done", **where, part=part)
    items.append(item | {"status": "completed", "content": [part]})
    yield event("response.output_item.done", output_index=at, item=items[-1])


def _responses_call(made: Any, items: list[dict[str, Any]], event: Callable[..., Event]) -> Iterator[Event]:
    at, item_id = len(items), f"fc_{next(_ids)}"
    item = {
        "id": item_id,
        "type": "function_call",
        "status": "in_progress",
        "call_id": made.id,
        "name": made.name,
        "arguments": "",
    }
    where = {"item_id": item_id, "output_index": at}
    yield event("response.output_item.added", output_index=at, item=item)
    for piece in _pieces(made.json):
        yield event("response.function_call_arguments.delta", **where, delta=piece)
    yield event("response.function_call_arguments.done", **where, arguments=made.json, name=made.name)
    items.append(item | {"status": "completed", "arguments": made.json})
    yield event("response.output_item.done", output_index=at, item=items[-1])


_STREAMS: dict[Wire, Callable[[Reply, dict[str, Any]], Iterator[Event]]] = {
    "anthropic": _anthropic,
    "chat": _chat,
    "responses": _responses,
    "google": google_format.stream,
    "ollama": ollama_format.stream,
}
