"""A server of one's own may take minutes to read a prompt: how long it is waited for, and what is shown."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from itertools import repeat
from typing import Any, cast

import pytest
from langchain_core.runnables import RunnableLambda

from server.agent.models.chat_model import build_chat_model
from server.agent.models.deadlines import MAX_PATIENCE_FACTOR, note_life, watched
from server.agent.models.guard import CallLimits
from server.agent.models.providers import Endpoint
from tests.support.model_reply import hang, say
from tests.support.model_server import ModelServer
from tests.support.raw_model import Raw, raw_server
from tests.unit.test_chat_model import answer, failure, limited, model_for, settings

HOME = "http://192.168.1.7:8080/v1"
ANSWER = b'data: {"choices": [{"index": 0, "delta": {"content": "Hi."}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
ALIVE = b": still reading\n\n"


@pytest.mark.parametrize(
    ("provider", "more", "first_token", "is_patient"),
    [
        ("openai", {}, 60, False),
        ("openai", {"openai_base_url": "https://llm.example.com/v1"}, 60, False),
        ("openai", {"openai_base_url": HOME}, 300, True),
        ("openai", {"openai_base_url": HOME, "model_timeout": 20}, 20, True),
        ("ollama", {}, 300, True),
        ("ollama", {"ollama_base_url": "https://ollama.com"}, 60, False),
        ("anthropic", {}, 60, False),
        ("anthropic", {"model_timeout": 20}, 20, False),
    ],
)
def test_patience_depends_on_where_the_server_is(
    provider: str, more: dict[str, Any], first_token: float, is_patient: bool
) -> None:
    given = settings(**more)
    limits = CallLimits.of(given, Endpoint.of(provider, "x", given))
    assert (limits.first_token, limits.is_patient) == (first_token, is_patient)


async def ticking(times: int, pause: float) -> AsyncGenerator[str, None]:
    for _ in range(times):
        await asyncio.sleep(pause)
        note_life()
    yield "first"


@pytest.mark.parametrize("is_patient", [False, True])
async def test_signs_of_life_count_only_where_one_is_patient(is_patient: bool) -> None:
    words = watched(ticking(6, 0.1), 0.4, 0.4, is_patient=is_patient)
    if is_patient:
        assert [word async for word in words] == ["first"]
    else:
        with pytest.raises(TimeoutError):
            await anext(words)


async def test_signs_of_life_without_a_word_end_some_time() -> None:
    first, began = 0.1, asyncio.get_running_loop().time()
    with pytest.raises(TimeoutError):
        await anext(watched(ticking(1000, 0.02), first, first, is_patient=True))
    assert asyncio.get_running_loop().time() - began >= (MAX_PATIENCE_FACTOR - 1) * first


async def test_comments_keep_a_call_alive_and_are_shown_to_no_one() -> None:
    parts = [*[ALIVE] * 8, ANSWER]
    async with raw_server(
        [Raw(headers={"content-type": "text/event-stream"}, parts=parts, pause=0.1)]
    ) as server:
        model = limited(build_chat_model("openai:m", server.settings()), first_token=0.5)
        assert (await answer(model)).text == "Hi."
        assert len(server.requests) == 1


@pytest.mark.parametrize(("is_patient", "requests"), [(False, 1), (True, 2)])
async def test_only_a_server_of_ones_own_is_asked_a_second_time_after_a_silence(
    is_patient: bool, requests: int
) -> None:
    async with ModelServer(hang()) as server:
        model = limited(model_for(server, "chat"), first_token=0.2, backoff=0.01, is_patient=is_patient)
        assert (await failure(model)).code == "llm_timeout"
        assert len(server.requests) == requests


async def test_a_server_that_had_to_load_its_model_answers_at_the_second_try() -> None:
    async with ModelServer([hang(), say("Now.")]) as server:
        model = limited(model_for(server, "ollama"), first_token=0.3, backoff=0.01)
        assert (await answer(model)).text == "Now."


@pytest.mark.parametrize(("before", "is_shown"), [(0.0, False), (0.6, True)])
async def test_what_is_waited_for_is_shown_once_it_takes_long(before: float, is_shown: bool) -> None:
    async with ModelServer(say("Hello.", before=before)) as server:
        model = limited(model_for(server, "chat"), quiet=0.3)

        async def ask(question: str) -> str:
            return (await answer(model, question)).text

        events = [event async for event in RunnableLambda(ask).astream_events("hi", version="v2")]
        address = server.settings().openai_base_url
    notes = [cast(Any, event["data"])["text"] for event in events if event["event"] == "on_custom_event"]
    assert notes == ([f"Waiting for the first words of openai:some-model at {address}."] if is_shown else [])


def event(name: str, data: str) -> bytes:
    return f"event: {name}\ndata: {data}\n\n".encode()


ORPHAN = {"type": "input_json_delta", "partial_json": "more and more and so on, "}
ENDLESS: dict[str, tuple[str, bytes, str]] = {
    "arguments of no call": ("anthropic:m", event("content_block_delta", json.dumps({"type": "content_block_delta", "index": 0, "delta": ORPHAN})), "llm_bad_response"),
    "pings": ("anthropic:m", event("ping", '{"type": "ping"}'), "llm_timeout"),
    "unknown events": ("anthropic:m", event("news", '{"type": "news"}'), "llm_timeout"),
    "chunks without a choice": ("openai:m", b'data: {"id": "c", "choices": []}\n\n', "llm_timeout"),
    "empty deltas": ("openai:m", b'data: {"id": "c", "choices": [{"index": 0, "delta": {}}]}\n\n', "llm_timeout"),
    "comments": ("openai:m", b": alive\n\n", "llm_timeout"),
    "empty candidates": ("google:m", b'data: {"candidates": []}\n\n', "llm_timeout"),
    "empty lines": ("ollama:m", b'{"message": {"role": "assistant", "content": ""}, "done": false}\n', "llm_timeout"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ENDLESS)
async def test_a_stream_that_never_says_anything_ends(kind: str) -> None:
    name, part, code = ENDLESS[kind]
    kind_of_stream = "application/x-ndjson" if name.startswith("ollama") else "text/event-stream"
    async with raw_server([Raw(headers={"content-type": kind_of_stream}, parts=repeat(part))]) as server:
        model = limited(
            build_chat_model(name, server.settings()), first_token=0.5, idle=0.5, is_patient=False, tries=1
        )
        began = asyncio.get_running_loop().time()
        assert (await failure(model)).code == code
        assert asyncio.get_running_loop().time() - began < 20
