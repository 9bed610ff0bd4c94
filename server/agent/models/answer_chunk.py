"""The pieces of a streamed answer: joined in linear time, the arguments of calls read once and strictly.

LangChain merges pieces by adding one after the other, and completes the JSON of every piece of a call by dropping
characters from its end: both cost the square of an answer's length, on the event loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import langchain_core.messages.ai
from langchain_core.messages import AIMessageChunk
from langchain_core.messages.tool import ToolCallChunk, tool_call, tool_call_chunk

from server.agent.arguments import read_arguments
from server.ops.json_types import JsonObject

_FIRST = frozenset({"type", "id", "call_id", "index", "name"})
"""Fields of a block that a later piece repeats and never continues."""


# Each `AIMessageChunk` with pieces of calls reads them by this name, also in the providers' packages.
langchain_core.messages.ai.parse_partial_json = read_arguments  # type: ignore[attr-defined, assignment]


class AnswerChunk(AIMessageChunk):
    """A piece of an answer, as the guard passes it on. The sum of pieces is an `AIMessageChunk`.

    `begins_anew`: what was sent before belongs to a try that failed and is no part of the answer.
    """

    begins_anew: bool = False

    def __add__(self, other: Any) -> Any:
        others = [other] if isinstance(other, AIMessageChunk) else other
        if isinstance(others, list | tuple) and all(isinstance(one, AIMessageChunk) for one in others):
            return join_chunks([self, *others])
        return super().__add__(other)


def join_chunks(chunks: Sequence[AIMessageChunk]) -> AIMessageChunk:
    """The pieces as one message. Calls whose arguments cannot be read are named by `broken_tool_calls`, their
    arguments are empty."""
    begun = [at for at, chunk in enumerate(chunks) if getattr(chunk, "begins_anew", False)]
    chunks = chunks[begun[-1] :] if begun else chunks
    metadata: JsonObject = {}
    for chunk in chunks:
        metadata.update(chunk.response_metadata)
    ids = [chunk.id for chunk in chunks if chunk.id]
    whole = AIMessageChunk(
        content=_join_contents([chunk.content for chunk in chunks]),
        additional_kwargs=_join_objects([chunk.additional_kwargs for chunk in chunks]),
        response_metadata=metadata,
        tool_call_chunks=_join_calls(call for chunk in chunks for call in chunk.tool_call_chunks),
        usage_metadata=next((c.usage_metadata for c in reversed(chunks) if c.usage_metadata), None),
        id=next((one for one in ids if not one.startswith("lc_run-")), ids[0] if ids else None),
        chunk_position="last" if any(chunk.chunk_position for chunk in chunks) else None,
    )
    if whole.invalid_tool_calls:  # in the model's order, with the broken ones
        whole.tool_calls = [
            tool_call(name=call["name"] or "", args=_arguments_or_none(call["args"]), id=call["id"])
            for call in whole.tool_call_chunks
        ]
        whole.invalid_tool_calls = []
    return whole


def _arguments_or_none(text: str | None) -> JsonObject:
    try:
        return read_arguments(text or "")
    except ValueError:
        return {}


def _join_calls(pieces: Iterable[ToolCallChunk]) -> list[ToolCallChunk]:
    """By index, as the guard numbers them; a piece without an index is a call of its own."""
    calls: dict[object, list[ToolCallChunk]] = {}
    for piece in pieces:
        index = piece["index"]
        calls.setdefault(len(calls) + 0.5 if index is None else index, []).append(piece)
    return [
        tool_call_chunk(
            name="".join(piece["name"] or "" for piece in call),
            args="".join(piece["args"] or "" for piece in call),
            id=next((piece["id"] for piece in call if piece["id"]), None),
            index=call[0]["index"],
        )
        for call in calls.values()
    ]


def _join_contents(contents: Sequence[str | list[Any]]) -> str | list[Any]:
    if all(isinstance(content, str) for content in contents):
        return "".join(content for content in contents if isinstance(content, str))
    return _join_lists([[content] if isinstance(content, str) else content for content in contents])


def _join_values(values: Sequence[Any]) -> Any:
    values = [value for value in values if value is not None]
    if len(values) < 2:
        return values[0] if values else None
    if all(isinstance(value, str) for value in values):
        return "".join(values)
    if all(isinstance(value, dict) for value in values):
        return _join_objects(values)
    if all(isinstance(value, list) for value in values):
        return _join_lists(values)
    return values[-1]


def _join_objects(objects: Sequence[JsonObject]) -> JsonObject:
    found: dict[str, list[Any]] = {}
    for one in objects:
        for name, value in one.items():
            found.setdefault(name, []).append(value)
    return {
        name: next((value for value in values if value not in (None, "")), values[0])
        if name in _FIRST
        else _join_values(values)
        for name, values in found.items()
    }


def _join_lists(lists: Sequence[list[Any]]) -> list[Any]:
    """Texts that follow each other become one, blocks with the same index too unless their ids differ."""
    joined: list[list[Any]] = []
    latest: dict[object, list[Any]] = {}
    for item in (item for items in lists for item in items if item != ""):
        index = item.get("index") if isinstance(item, dict) else None
        if isinstance(item, str):
            group = joined[-1] if joined and isinstance(joined[-1][0], str) else None
        else:
            group = latest.get(index) if index is not None else None
            if group and item.get("id") and group[0].get("id") not in (None, "", item["id"]):
                group = None
        if group:
            group.append(item)
        else:
            joined.append([item])
            if index is not None:
                latest[index] = joined[-1]
    return [_join_values(group) for group in joined]
