"""What a model and its server can do, found out by short calls: for the test in the settings."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urljoin

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage

from server.agent.models.catalog import known_model
from server.agent.models.chat_model import forces_tools
from server.agent.models.delta_joiner import joins_deltas
from server.agent.models.errors import ModelFailed
from server.agent.models.guard import GuardedModel
from server.agent.models.ollama import OLLAMA_CONTEXT
from server.agent.models.transport import model_http_client
from server.ops.json_types import JsonObject

AbilityName = Literal["streams", "calls", "tool", "required", "json_schema", "pictures", "context"]
TEST_SECONDS, MAX_TEST_SECONDS = 60.0, 120.0
"""For one call and for all."""
MAX_TEST_TOKENS = 256
_TOOL: JsonObject = {
    "title": "report",
    "description": "Report a colour.",
    "type": "object",
    "properties": {"colour": {"type": "string"}},
    "required": ["colour"],
}
_TEST_TASK = "Call the tool `report` with the colour of the sky on a clear day. Do not answer in words."
_RED = (
    "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mP4z8BAEmIY1TCqYfhqAACQ+f8B8u7oVw"
    "AAAABJRU5ErkJggg=="
)
"""A picture of one colour."""


@dataclass(frozen=True)
class Ability:
    """`works` is None where it could not be tried. `detail` is a number or the reason of a refusal."""

    name: AbilityName
    works: bool | None
    detail: str = ""


async def find_abilities(name: str, model: BaseChatModel) -> list[Ability]:
    """Make the calls, one after the other. Raises ModelFailed if the first, plain one fails."""
    if not isinstance(model, GuardedModel):
        await model.ainvoke("Answer with one word: ready?")
        return []
    asked = model.at_most(MAX_TEST_TOKENS)
    until = time.monotonic() + MAX_TEST_SECONDS
    found = [Ability("streams", await _streams(asked))]
    tries: list[tuple[AbilityName, Callable[[], Awaitable[bool]]]] = [
        ("calls", lambda: _calls_tool(asked, None)),
        ("tool", lambda: _calls_tool(asked, "report")),
        ("required", lambda: _calls_tool(asked, "any")),
        ("json_schema", lambda: _follows_schema(asked)),
        ("pictures", lambda: _sees(asked)),
    ]
    for ability, attempt in tries:
        if ability in ("tool", "required") and not forces_tools(model):
            found.append(Ability(ability, False))  # models that think refuse it
            continue
        seconds = min(TEST_SECONDS, until - time.monotonic())
        found.append(await _tried(ability, attempt, seconds))
    tokens = await _context_of(name, model)
    return [*found, Ability("context", None if tokens is None else True, f"{tokens:,}" if tokens else "")]


async def calls_tool(model: BaseChatModel) -> bool:
    """Whether it makes the call that it is asked for. Raises TimeoutError after TEST_SECONDS, and the model's errors."""
    if not isinstance(model, GuardedModel):
        return False
    async with asyncio.timeout(TEST_SECONDS):
        return await _calls_tool(model.at_most(MAX_TEST_TOKENS), None)


async def _tried(name: AbilityName, attempt: Callable[[], Awaitable[bool]], seconds: float) -> Ability:
    if seconds <= 0:
        return Ability(name, None)
    try:
        async with asyncio.timeout(seconds):
            return Ability(name, await attempt())
    except TimeoutError:
        return Ability(name, None)
    except ModelFailed as error:
        return Ability(name, False, error.failure.message)
    except (ValueError, TypeError, NotImplementedError):  # LangChain itself knows that it does not work
        return Ability(name, False)


async def _streams(model: GuardedModel) -> bool:
    """Whether an answer comes in pieces. Raises TimeoutError after TEST_SECONDS, ModelFailed."""
    pieces = 0
    joining = joins_deltas.set(False)  # the pieces of a fast server arrive together
    try:
        async with asyncio.timeout(TEST_SECONDS):
            async for chunk in model.astream("Count from one to ten in words."):
                pieces += bool(chunk.text)
    finally:
        joins_deltas.reset(joining)
    return pieces > 1


async def _calls_tool(model: GuardedModel, choice: str | None) -> bool:
    """Whether the server made the call, with the request as it was: no weaker one was accepted instead."""
    forced = {"tool_choice": choice} if choice else {}
    answer = await model.bind_tools([_TOOL], **forced).ainvoke(_TEST_TASK)
    taken = {"any": ("named", "required"), "report": ("named",)}.get(choice or "")
    is_lowered = taken is not None and model.refused.tool_choice not in taken
    return not is_lowered and any(
        call["name"] == "report" and "colour" in call["args"] for call in answer.tool_calls
    )


async def _follows_schema(model: GuardedModel) -> bool:
    """Asked in words for something else, only a server that enforces the schema answers by it."""
    structured: Any = model.with_structured_output(_TOOL, method="json_schema", include_raw=True)
    answer = await structured.ainvoke("Say hello in one sentence.")
    parsed = answer["parsed"]
    return isinstance(parsed, dict) and isinstance(parsed.get("colour"), str)


async def _sees(model: GuardedModel) -> bool:
    picture = {"type": "image", "base64": _RED, "mime_type": "image/png"}
    question = {"type": "text", "text": "Which colour is this picture? Answer with one word."}
    answer: AIMessage = await model.ainvoke([HumanMessage([question, picture])])
    return "red" in answer.text.lower()


async def _context_of(name: str, model: GuardedModel) -> int | None:
    """Tokens of the context as the server names them, else as the catalog does; None if unknown."""
    known = known_model(name)
    if known:
        return known.context
    if name.startswith("ollama:"):
        return OLLAMA_CONTEXT
    address, own_name = model.endpoint.address, name.partition(":")[2]
    if address is None:
        return None
    for path in ("models", "../props"):
        try:
            async with asyncio.timeout(5):
                answer = await model_http_client().get(urljoin(address.rstrip("/") + "/", path))
                said = answer.json()
        except Exception:  # the answer is of no known server
            continue
        if tokens := _tokens_in(said, own_name):
            return tokens
    return None


def _tokens_in(said: Any, name: str) -> int | None:
    """In the list of models of vLLM and others, or the properties of llama.cpp."""
    if not isinstance(said, dict):
        return None
    listed = said.get("data")
    models = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    this = [one for one in models if one.get("id") == name] or models[:1]
    places = [*this, *(one.get("meta") for one in this), said.get("default_generation_settings")]
    sizes = (place.get(key) for place in places if isinstance(place, dict) for key in _WINDOW_KEYS)
    return next((size for size in sizes if isinstance(size, int)), None)


_WINDOW_KEYS = ("max_model_len", "context_length", "max_context_length", "n_ctx", "context_window")
