"""Ollama's models: ChatOllama on our transport, with the thinking of models that think by default."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any, cast

import httpx
import httpx2
import orjson
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_ollama import ChatOllama
from ollama import ResponseError

from server.agent.models.delta_joiner import joins_deltas
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
                ended: list[bytes] = []
                for part in data.splitlines(keepends=True):
                    line.append(part)
                    if part.endswith(b"\n"):
                        ended.append(b"".join(line))
                        line = []
                for each in join_texts(ended) if joins_deltas.get() else ended:
                    yield with_arguments_as_text(each)
            yield with_arguments_as_text(b"".join(line))

    async def aclose(self) -> None:
        await self._stream.aclose()


def join_texts(lines: list[bytes]) -> list[bytes]:
    """The lines that arrived together, those that follow one another with only a piece of text, or of a thought, made
    one: SDK and graph handle each line for itself, 10,000 of them hold up other sessions."""
    if len(lines) < 2:
        return lines
    joined: list[bytes] = []
    last: tuple[JsonObject, str, list[str]] | None = None
    for line in lines:
        found = _piece_of(line)
        if last and found and found[1] == last[1]:
            last[2].append(found[0]["message"][found[1]])
            if "created_at" in found[0]:
                last[0]["created_at"] = found[0]["created_at"]
            continue
        if last:
            joined.append(_with_pieces(*last))
        last = (*found, [found[0]["message"][found[1]]]) if found else None
        if not found:
            joined.append(line)
    return [*joined, _with_pieces(*last)] if last else joined


def _piece_of(line: bytes) -> tuple[JsonObject, str] | None:
    """The event and the key of its text, if it has nothing else."""
    try:
        event = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    match event:
        case {"message": dict() as message, **others} if not others.get("done"):
            said = [key for key, value in message.items() if key != "role" and value]
            is_plain = others.keys() <= {"model", "created_at", "done"}
            if is_plain and said in (["content"], ["thinking"]) and isinstance(message[said[0]], str):
                return event, said[0]
    return None


def _with_pieces(event: JsonObject, key: str, pieces: list[str]) -> bytes:
    event["message"][key] = "".join(pieces)
    return orjson.dumps(event) + b"\n"


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
