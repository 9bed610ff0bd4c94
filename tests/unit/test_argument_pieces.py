"""Pieces of a call's arguments that are read together become one event; what the stream says stays the same."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import openai
import pytest

from server.agent.models.openai import DictStream
from tests.support.model_formats import stream
from tests.support.model_reply import Reply, ToolCall

BODY = {"model": "m", "stream_options": {"include_usage": True}}
REPLY = Reply(
    text="Grüße",
    calls=(
        ToolCall("act", {"action": "stop", "final_response": 'naïve 😀 "data" ' * 20}, "call_1"),
        ToolCall("act", {"action": "click", "eid": "e12"}, "call_2"),
    ),
)


async def read(pieces: list[bytes], into: list[dict[str, Any]] | None = None) -> list[dict[str, Any]]:
    async def body() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    events = [] if into is None else into
    response = httpx2.Response(200, content=body(), request=httpx2.Request("POST", "http://test"))
    async for event in DictStream(cast_to=object, response=response, client=CLIENT):
        events.append(event)
    return events


def told(events: list[dict[str, Any]]) -> list[Any]:
    """What the events say, with neighbouring arguments of a call put together."""
    facts: list[Any] = []
    for event in events:
        text = ""
        for choice in event["choices"]:
            for call in choice["delta"].get("tool_calls") or ():
                text = call["function"].pop("arguments")
        fact = [json.dumps(event, sort_keys=True), text]
        if text and facts and facts[-1][0] == fact[0]:
            facts[-1][1] += text
        else:
            facts.append(fact)
    return facts


CLIENT = openai.AsyncOpenAI(api_key="k", base_url="http://test", http_client=httpx2.AsyncClient(verify=False))
EVENTS = list(stream("chat", REPLY, BODY))


async def test_pieces_that_come_together_become_one_event() -> None:
    events = await read([b"".join(EVENTS)])

    calls = [
        call
        for event in events
        for choice in event["choices"]
        for call in choice["delta"].get("tool_calls") or ()
    ]
    assert sum(bool(call["function"]["arguments"]) for call in calls) == len(REPLY.calls)
    assert told(events) == told(await read(EVENTS))


async def test_pieces_that_come_one_by_one_stay_apart() -> None:
    assert len(await read(EVENTS)) > 30


async def test_a_stream_in_random_pieces_says_the_same() -> None:
    body, dice, whole = b"".join(EVENTS), random.Random(7), told(await read(EVENTS))
    for _ in range(100):
        cuts = sorted(dice.sample(range(len(body)), 9))
        pieces = [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]
        assert told(await read(pieces)) == whole


@pytest.mark.parametrize(
    "changes",
    [
        {"usage": {"total_tokens": 3}},
        {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "b"}}]}, "finish_reason": "stop"}]},
        {"choices": [{"delta": {"content": "a", "tool_calls": [{"index": 0, "function": {"arguments": "b"}}]}}]},
        {"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"arguments": "b"}}]}}]},
        {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": "b"}}]}}]},
        {"choices": [{"delta": {"tool_calls": [{"index": 1, "function": {"arguments": "b"}}]}}]},
        {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": None}}]}}]},
        {"choices": []},
    ],
)  # fmt: skip
async def test_an_event_that_says_more_stays_apart(changes: dict[str, Any]) -> None:
    piece = {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "a"}}]}}]}
    other = piece | changes
    body = b"".join(b"data: %b\n\n" % json.dumps(event).encode() for event in (piece, other, piece))

    assert await read([body]) == [piece, other, piece]


async def test_what_came_before_an_error_is_told() -> None:
    piece = {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "a"}}]}}]}
    body = b"data: %b\n\ndata: {broken\n\n" % json.dumps(piece).encode()
    seen: list[dict[str, Any]] = []

    with pytest.raises(ValueError):
        await read([body], seen)

    assert seen == [piece]
