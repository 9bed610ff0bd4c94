"""The provider on loopback: it answers each request by the input that the request's model names."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

from aiohttp import web

from bench.wire.asked import Answer, Dialect, Input, Step, error_json, good
from tests.support import model_rules
from tests.support.aiohttp_servers import close, listen
from tests.support.model_reply import Asked, Wire
from tests.support.model_server import KEY

_PATHS: dict[str, Dialect] = {
    "/v1/messages": "anthropic",
    "/v1/chat/completions": "chat",
    "/v1/responses": "responses",
    "/openrouter/v1/chat/completions": "openrouter",
    "/v1beta/models/{model}:streamGenerateContent": "google",
    "/api/chat": "ollama",
}
_NAMES = "Name this conversation"
"""How the request for a session's title begins."""
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_HALF = re.compile(r"\\ud[89a-f][0-9a-f]{2}", re.IGNORECASE)


@dataclass
class Played:
    """One input at the provider: what was asked so far."""

    input: Input
    requests: list[Asked] = field(default_factory=list)
    titles: list[Asked] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    """What was wrong with requests that broke the rules of their wire."""


class Provider:
    """`played` has the inputs by the name of their model."""

    def __init__(self) -> None:
        self.played: dict[str, Played] = {}
        self.more_paths: dict[str, Callable[[web.Request], Any]] = {}

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 2**20)
        for path, wire in _PATHS.items():
            app.router.add_post(path, partial(self._answer, wire))
        for path, handler in self.more_paths.items():
            app.router.add_post(path, handler)
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
        self._listener = await listen(self._runner)
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *exc: object) -> None:
        await close(self._runner, self._listener)

    @property
    def settings(self) -> dict[str, str]:
        """What leads a server here."""
        return {
            "anthropic_base_url": self.url,
            "anthropic_api_key": KEY,
            "openai_base_url": f"{self.url}/v1",
            "openai_api_key": KEY,
            "openrouter_base_url": f"{self.url}/openrouter/v1",
            "openrouter_api_key": KEY,
            "google_base_url": self.url,
            "google_api_key": KEY,
            "ollama_base_url": self.url,
        }

    def play(self, given: Input) -> Played:
        played = self.played[given.model] = Played(given)
        return played

    async def _answer(self, wire: Dialect, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body = dict(request.match_info) | json.loads(raw)
        asked = Asked(_format(wire), body, {k.lower(): v for k, v in request.headers.items()})
        played = self.played.get(str(body.get("model")))
        if played is None:
            return web.json_response({"error": {"message": "no such model"}}, status=404)
        if _NAMES in asked.text:
            played.titles.append(asked)
            step = played.input.namer or good(wire, "assistant", "Capital of France")
        else:
            played.requests.append(asked)
            step = _next(played, asked, raw)
        answer = step if isinstance(step, Answer) else step(asked)
        return await _send(request, wire, answer)


def _format(wire: Dialect) -> Wire:
    return "chat" if wire == "openrouter" else wire


def _next(played: Played, asked: Asked, raw: bytes) -> Step:
    given = played.input
    if given.strict and (broken := _broken_rule(asked, raw)):
        played.refusals.append(broken)
        return error_json(broken)
    count = len(played.requests) - len(played.refusals)
    if count <= len(given.steps):
        return given.steps[count - 1]
    return given.rest or good(given.wire, given.agent)


def _broken_rule(asked: Asked, raw: bytes) -> str | None:
    """What a strict provider refuses."""
    text = raw.decode()  # halves of a pair that are no UTF-8 end here
    for half in _HALF.finditer(text):
        pair = text[half.start() : half.start() + 12].lower()
        if not re.fullmatch(r"\\ud[89ab]..\\ud[c-f]..", pair) and not _is_low(text, half.start()):
            return "a lone surrogate"
    for name in _names(asked.messages):
        if not _TOOL_NAME.fullmatch(name):
            return f"Invalid name of a tool in the history: {name[:80]!r}"
    for arguments in _arguments(asked.messages):
        if not isinstance(arguments, str) or not _is_object(arguments):
            return "the arguments of a call in the history are no JSON object in a string"
    return model_rules.refusal(asked.wire, asked.body)


def _is_low(text: str, at: int) -> bool:
    return bool(re.fullmatch(r"\\ud[89ab]..\\ud[c-f]..", text[max(at - 6, 0) : at + 6].lower()))


def _names(part: Any) -> list[str]:
    """Names of calls anywhere in the messages."""
    if isinstance(part, list):
        return [name for each in part for name in _names(each)]
    if not isinstance(part, dict):
        return []
    is_call = part.get("type") in ("tool_use", "function_call") or "arguments" in part
    own = [str(part.get("name"))] if is_call and "name" in part else []
    return [*own, *(name for value in part.values() for name in _names(value))]


def _arguments(messages: list[dict[str, Any]]) -> list[Any]:
    of_chat = [c["function"].get("arguments") for m in messages for c in m.get("tool_calls") or ()
               if c.get("type") == "function"]  # fmt: skip
    return [*of_chat, *(m["arguments"] for m in messages if m.get("type") == "function_call")]


def _is_object(text: str) -> bool:
    with contextlib.suppress(ValueError):
        return isinstance(json.loads(text), dict)
    return False


async def _send(request: web.Request, wire: Dialect, answer: Answer) -> web.StreamResponse:
    kind = answer.kind or ("application/x-ndjson" if wire == "ollama" else "text/event-stream")
    headers: Mapping[str, str] = {"content-type": kind, **answer.headers}
    response = web.StreamResponse(status=answer.status, headers=headers)
    await response.prepare(request)
    with contextlib.suppress(ConnectionError):  # the client has gone
        for part in answer.parts:
            if isinstance(part, float | int):
                await asyncio.sleep(part)
            else:
                await response.write(part)
                await asyncio.sleep(0)
        if answer.ends == "reset":
            _reset(request)
            return response
        await response.write_eof()
    return response


def _reset(request: web.Request) -> None:
    assert request.transport is not None
    sock = request.transport.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.transport.abort()
