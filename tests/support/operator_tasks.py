"""The real operator on a real browser, its model played over a provider's real wire."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

from server.agent.models.chat_model import build_chat_model
from server.browser.browser import Browser
from tests.support.model_reply import Asked, Reply, Step, call, say
from tests.support.model_server import ModelServer
from tests.support.operator_world import World
from tests.support.scripted_browser import ScriptedBrowser
from tests.support.scripted_model import ScriptedModel

WIRES = {
    "anthropic": ("anthropic:claude-haiku-4-5", {}),
    "chat": ("openai:gpt-5-mini", {"openai_api": "chat"}),
    "responses": ("openai:gpt-5-mini", {"openai_api": "responses"}),
}


PACE = 0.02
"""Seconds between two pieces of an answer."""


@asynccontextmanager
async def task(
    browser: Browser, *turns: Any, wire: str = "anthropic", **options: Any
) -> AsyncIterator[World]:
    """A world on a real browser and a real provider's wire; a turn is a move, a function of the prompt or words."""
    name, more = WIRES[wire]
    async with ModelServer([step_of(turn) for turn in turns]) as server:
        model = build_chat_model(name, server.settings(**more))
        it = World(cast(ScriptedBrowser, browser), cast(ScriptedModel, model), **options)
        it.options["server"] = server
        yield it
        assert server.refusals == []


def step_of(turn: Any) -> Step:
    """A step of a provider's script: a move, a function of the prompt that returns one, or plain words."""

    def reply(asked: Asked) -> Reply:
        answer = turn(asked.text) if callable(turn) else turn
        if isinstance(answer, str):
            return say(answer)
        text = json.dumps(answer, ensure_ascii=False)
        if asked.tools:
            assert asked.tools == ["act"]
            # An answer comes at the pace of a model: what is read together is joined.
            return call("act", text).but(delay=PACE if answer.get("action") == "stop" else 0.0)
        return say([text[at : at + 5] for at in range(0, len(text), 5)])

    return reply


def fact(turn: Any, *facts: str) -> Any:
    """The same turn, with what was found on the page."""
    return lambda prompt: {**(turn(prompt) if callable(turn) else turn), "facts": list(facts)}
