"""Ollama's models: ChatOllama on our transport, with the thinking of models that think by default."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any, cast

import httpx
import httpx2
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_ollama import ChatOllama
from ollama import ResponseError

from server.agent.models.guard import GuardedModel
from server.agent.models.providers import OLLAMA_URL
from server.agent.models.transport import ModelTransport
from server.ops.json_types import JsonObject
from server.settings import Settings

_AS_TEXT = "text"
OLLAMA_CONTEXT = 16_384
"""Tokens. With Ollama's default of 4096, the start of a longer prompt is cut without a warning."""


class ThinkingOllama(GuardedModel, ChatOllama):
    """Is built with `reasoning=True`, so that LangChain keeps received thinking, but never requests it:
    models without thinking reject such a request, those with thinking think by default."""

    def _chat_params(
        self, messages: list[BaseMessage], stop: list[str] | None = None, **kwargs: object
    ) -> JsonObject:
        return self.refused.apply(super()._chat_params(messages, stop, **kwargs) | {"think": None})

    async def _aiterate_over_stream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        async for chunk in super()._aiterate_over_stream(messages, stop, **kwargs):
            for call in cast(AIMessageChunk, chunk.message).tool_call_chunks:
                call["args"] = json.loads(call["args"] or "{}")[_AS_TEXT][0]
            yield chunk

    def is_foreign(self, error: Exception) -> bool:
        """Ollama's refusals are JSON with a text as `error`; its answers are lines of JSON."""
        if isinstance(error, json.JSONDecodeError):
            return True
        if not isinstance(error, ResponseError):
            return False
        return (
            not isinstance(error.error, str)
            or error.error.lstrip()[:1] in ("<", "{")
            or (error.status_code in (404, 405) and "model" not in error.error)
        )


def build_ollama(model: str, settings: Settings) -> ThinkingOllama:
    return ThinkingOllama.build(
        settings,
        "ollama",
        model=model,
        base_url=settings.ollama_base_url or OLLAMA_URL,
        num_ctx=OLLAMA_CONTEXT,
        num_predict=settings.model_max_tokens,
        reasoning=True,
        async_client_kwargs={"transport": OlderTransport(), "follow_redirects": False},
    )


class OlderTransport(httpx.AsyncBaseTransport):
    """Uses the connections of `ModelTransport`, with the types and errors of httpx, which Ollama's SDK uses.

    The SDK's own client is never closed by ChatOllama, so its connections would stay open.
    """

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        newer = httpx2.Request(
            request.method, str(request.url), headers=request.headers.raw, content=await request.aread()
        )
        with _as_older():
            answer = await ModelTransport().handle_async_request(newer)
        body = _CompatBody(cast("httpx2.AsyncByteStream", answer.stream))
        return httpx.Response(answer.status_code, headers=answer.headers.raw, stream=body)


class _CompatBody(httpx.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        line: list[bytes] = []
        with _as_older():
            async for data in self._stream:
                for part in data.splitlines(keepends=True):
                    line.append(part)
                    if part.endswith(b"\n"):
                        yield with_arguments_as_text(b"".join(line))
                        line = []
            yield with_arguments_as_text(b"".join(line))

    async def aclose(self) -> None:
        await self._stream.aclose()


def with_arguments_as_text(line: bytes) -> bytes:
    """Put the arguments of each call into a list as text: the SDK takes objects only, and LangChain would read a text
    within them as Python, which is slow and changes what is typed into a page."""
    if b'"tool_calls"' not in line:
        return line
    try:
        event = json.loads(line)
        calls = event["message"]["tool_calls"] or []
        for call in calls:
            given = call["function"].get("arguments")
            text = given if isinstance(given, str) else json.dumps(given or {})
            call["function"] = {
                "name": str(call["function"].get("name") or ""),
                "arguments": {_AS_TEXT: [text]},
            }
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return line
    return json.dumps(event).encode() + b"\n"


@contextmanager
def _as_older() -> Iterator[None]:
    try:
        yield
    except httpx2.TransportError as error:
        kind: type[httpx.TransportError] = getattr(httpx, type(error).__name__)
        raise kind(str(error)) from error
