"""Read the events of Chat Completions as servers of all kinds send them. Pure.

Besides OpenAI's own form: `message` in place of `delta`, `function_call` of old, arguments that are an object, calls
without an index, content as a list of parts, three names for thoughts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import orjson
from langchain_core.messages.tool import ToolCallChunk

from server.agent.models.answer import EXTRA, PARTS_KEY
from server.agent.models.answer_chunk import AnswerChunk
from server.ops.json_types import Json, JsonObject

_THOUGHT_KEYS = ("reasoning_content", "reasoning")
_OF_A_CALL = ("index", "id", "type", "function")
_OF_A_FUNCTION = ("name", "arguments")


def completion_chunk(event: JsonObject) -> tuple[AnswerChunk, JsonObject]:
    """The piece of the answer in an event, and what the event says of the answer (`generation_info`).

    Raises JSONDecodeError for an event of another form.
    """
    choices = event.get("choices") or [{}]
    if not isinstance(choices, list) or not isinstance(choices[0], dict):
        raise garbled("the choices of the model's answer are of an unknown form")
    choice: JsonObject = choices[0]
    delta = choice.get("delta") or choice.get("message") or {}
    if not isinstance(delta, dict):
        raise garbled("a piece of the model's answer is no object")
    text, thought = _texts(delta.get("content"))
    parts = {name: delta[name] for name in _THOUGHT_KEYS if isinstance(delta.get(name), str) and delta[name]}
    thought = next(iter(parts.values()), "") or thought
    if details := [one for one in delta.get("reasoning_details") or () if isinstance(one, dict)]:
        thought = thought or "".join(str(one.get("text") or one.get("summary") or "") for one in details)
        parts = {"reasoning_details": details}
    # LangChain converts reasoning_content to reasoning blocks for any provider except "openai".
    piece = AnswerChunk(content=text, response_metadata={"model_provider": "openai_compatible"})
    if thought:
        piece.additional_kwargs = {"reasoning_content": thought}
    piece.tool_call_chunks = list(_calls(delta))
    reason = "refusal" if delta.get("refusal") else choice.get("finish_reason")
    said = {"finish_reason": reason, PARTS_KEY: parts, "done": event.get("done")}
    said |= {"model_name": event.get("model")} if reason else {}
    return piece, {name: value for name, value in said.items() if value}


def garbled(reason: str) -> json.JSONDecodeError:
    """The error for an answer that cannot be read; it is classified as such by its kind."""
    return json.JSONDecodeError(reason, "", 0)


def _texts(content: Json) -> tuple[str, str]:
    """Text and thoughts of a content, which may be a list of parts."""
    if isinstance(content, str):
        return content, ""
    text, thoughts = "", ""
    for part in content if isinstance(content, list) else ():
        if isinstance(part, str):
            text += part
        elif isinstance(part, dict):
            text += part["text"] if isinstance(part.get("text"), str) else ""
            inner = part.get("thinking")
            thoughts += inner if isinstance(inner, str) else _texts(inner)[0]
    return text, thoughts


def _without(given: JsonObject, names: Sequence[str]) -> JsonObject:
    return {name: value for name, value in given.items() if name not in names}


def _calls(delta: JsonObject) -> Iterator[ToolCallChunk]:
    old = delta.get("function_call")
    given = delta.get("tool_calls") or ([{"index": 0, "function": old}] if old else ())
    for call in given if isinstance(given, list) else ():
        if not isinstance(call, dict):
            continue
        function: JsonObject = call["function"] if isinstance(call.get("function"), dict) else {}
        extra = _without(call, _OF_A_CALL)
        if more := _without(function, _OF_A_FUNCTION):
            extra["function"] = more
        index = call.get("index")
        piece: Any = {
            "type": "tool_call_chunk",
            "name": _text(function.get("name")),
            "args": arguments_text(function.get("arguments")),
            "id": _text(call.get("id")),
            "index": index if isinstance(index, int | str) else None,
            EXTRA: {name: value for name, value in extra.items() if value is not None},
        }
        yield piece


def arguments_text(given: Json) -> str:
    """Arguments as the text of JSON, also of a server that sends them as the object itself."""
    if given is None or isinstance(given, str):
        return given or ""
    return orjson.dumps(given).decode()


def _text(given: Json) -> str | None:
    return given if isinstance(given, str) else None if given is None else str(given)
