"""OpenAI's API: Responses by ChatOpenAI, Chat Completions of any server with thinking and low cost per token."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import cache
from typing import Any, ClassVar, Self, cast

import httpx2
import openai
import orjson
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from pydantic import SecretStr, model_validator

from server.agent.models.completion_chunk import completion_chunk, garbled
from server.agent.models.guard import GuardedModel
from server.agent.models.providers import is_own_server
from server.agent.models.transport import model_http_client, sync_http_client
from server.ops.json_types import JsonObject
from server.settings import Settings

_DONE_MARK: JsonObject = {"done": True}
_MAX_LINES = 8
"""Lines of one event."""
_AFTER_DONE = 1.0
"""Seconds that a response may stay open after its `[DONE]`."""
_OF_ONE_REQUEST = frozenset({"content-length", "transfer-encoding", "cookie", "idempotency-key"})
"""Headers of a request that are not kept for later ones."""

OPENROUTER_URL = "https://openrouter.ai/api/v1"

_NO_PICTURE = {"type": "text", "text": "(a picture was left out: it cannot be part of a tool result here)"}


class ResponsesChat(GuardedModel, ChatOpenAI):
    """The Responses API, as LangChain reads it: its events are the SDK's objects."""

    parallel_tools: ClassVar[bool | None] = False

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: object
    ) -> JsonObject:
        return self.refused.apply(super()._get_request_payload(input_, stop=stop, **kwargs))

    def prepare(self) -> None:
        super().prepare()
        _make_event_classes()


@cache
def _make_event_classes() -> None:
    """The SDK makes the classes of all events when it reads the first one."""
    from openai.types.responses import ResponseStreamEvent

    class AnyEvent(openai.BaseModel):
        event: ResponseStreamEvent

    created: Any = {"type": "response.created", "response": {"output": []}}
    AnyEvent.model_construct(event=created)


class CompatibleChat(GuardedModel, ChatOpenAI):
    """Chat Completions of any compatible server.

    Thinking (`reasoning_content`, `reasoning`, `reasoning_details`) is streamed as reasoning blocks and sent
    back within a turn, as DeepSeek, Kimi and Gemini via OpenRouter require between tool calls.
    """

    parallel_tools: ClassVar[bool | None] = False

    @model_validator(mode="after")
    def _stream_plain_dicts(self) -> Self:
        self.async_client = PlainCompletions(self.root_async_client, self.http_async_client)
        return self

    def _convert_chunk_to_generation_chunk(
        self, chunk: JsonObject, default_chunk_class: type, base_generation_info: JsonObject | None
    ) -> ChatGenerationChunk | None:
        message, info = completion_chunk(chunk)
        if usage := chunk.get("usage"):
            read = super()._convert_chunk_to_generation_chunk({"usage": usage}, AIMessageChunk, None)
            message.usage_metadata = cast(AIMessageChunk, read.message).usage_metadata if read else None
        return ChatGenerationChunk(message=message, generation_info=(base_generation_info or {}) | info)

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: object
    ) -> JsonObject:
        messages = self._convert_input(input_).to_messages()
        payload = super()._get_request_payload(messages, stop=stop, **kwargs)
        if "max_completion_tokens" in payload:
            payload["max_tokens"] = payload.pop("max_completion_tokens")
        if form := payload.pop(
            "response_format", None
        ):  # else LangChain lets the SDK parse all text at each chunk
            payload["extra_body"] = {**(payload.get("extra_body") or {}), "response_format": form}
        for message, sent in zip(messages, payload["messages"], strict=True):
            if sent["role"] == "tool" and isinstance(sent["content"], list):
                sent["content"] = [
                    part if part.get("type") == "text" else _NO_PICTURE for part in sent["content"]
                ]
            elif isinstance(message, AIMessage):
                self._send_back(message, sent)
        return self.refused.apply(payload)

    def _send_back(self, message: AIMessage, sent: JsonObject) -> None:
        """Add what this model gave with an answer and its calls, as DeepSeek, Kimi and Gemini demand of later requests."""
        parts = self.parts_of(message)
        if not parts or not sent.get("tool_calls"):
            return
        sent.update(parts.get("message") or {})
        for call in sent["tool_calls"]:
            extra = (parts.get("calls") or {}).get(call["id"]) or {}
            call["function"] |= extra.get("function") or {}
            call |= {name: value for name, value in extra.items() if name != "function"}


def build_openai(model: str, settings: Settings) -> GuardedModel:
    """The Responses API by default for OpenAI itself, where images in tool results require it; other servers
    use Chat Completions by default."""
    is_own, chosen = is_own_server(settings), settings.openai_api
    kind = ResponsesChat if chosen == "responses" or (chosen == "auto" and not is_own) else CompatibleChat
    return _build(kind, "openai", model, settings, settings.openai_base_url, settings.openai_api_key)


def build_openrouter(model: str, settings: Settings) -> GuardedModel:
    url = settings.openrouter_base_url or OPENROUTER_URL
    return _build(CompatibleChat, "openrouter", model, settings, url, settings.openrouter_api_key)


def _build(
    kind: type[CompatibleChat | ResponsesChat],
    provider: str,
    model: str,
    settings: Settings,
    base_url: str | None,
    key: SecretStr | None,
) -> GuardedModel:
    return kind.build(
        settings,
        provider,
        model=model,
        api_key=key or "none",
        base_url=base_url,
        max_tokens=settings.model_max_tokens,
        streaming=True,
        stream_usage=True,
        stream_chunk_timeout=None,
        use_responses_api=kind is ResponsesChat,
        http_async_client=model_http_client(),
        http_client=sync_http_client(),
        timeout=None,
        max_retries=0,
    )


class PlainCompletions:
    """Replaces `AsyncOpenAI.chat.completions`: the stream's events are plain dicts.

    The SDK builds nested objects for every chunk and LangChain dumps them back into dicts, which is most of
    the cost of a token. The SDK makes the first request; later ones have its address and headers, because the SDK
    takes 0.4 ms of CPU to merge these. All calls except a plain stream are passed to the SDK's own resource.
    """

    def __init__(self, client: openai.AsyncOpenAI, http: httpx2.AsyncClient | None = None) -> None:
        """`http` is the HTTP client of `client`; None: the SDK makes every request."""
        self._client = client
        self._own = client.chat.completions
        self._http = http
        self._known: tuple[httpx2.URL, list[tuple[str, str]]] | None = None
        """Address and headers of a request that was answered with a stream."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    async def create(self, **payload: Any) -> Any:
        if not payload.get("stream") or any(key in payload for key in ("extra_query", "timeout")):
            return await self._own.create(**payload)
        headers, extra = payload.pop("extra_headers", None), payload.pop("extra_body", None)
        body = payload | (extra or {})
        if self._http and not headers and (request := self._like_the_first(body)):
            return DictStream(cast_to=dict, response=await _send(self._http, request), client=self._client)
        stream: DictStream = await self._client.post(
            "/chat/completions",
            cast_to=object,
            body=body,
            options={"headers": headers} if headers else {},
            stream=True,
            stream_cls=DictStream,
        )
        if not headers and not stream.response.history:
            sent = stream.response.request
            kept = [one for one in sent.headers.multi_items() if one[0] not in _OF_ONE_REQUEST]
            self._known = sent.url, kept
        return stream

    def _like_the_first(self, body: JsonObject) -> httpx2.Request | None:
        """None before the first request, and for a body that only the SDK may be able to encode."""
        if self._known is None:
            return None
        url, headers = self._known
        with suppress(TypeError):
            return httpx2.Request("POST", url, headers=headers, content=orjson.dumps(body))
        return None


async def _send(http: httpx2.AsyncClient, request: httpx2.Request) -> httpx2.Response:
    """The response, its body not read yet. Raises the SDK's errors."""
    if http.cookies:
        http.cookies.set_cookie_header(request)
    try:
        response = await http.send(request, stream=True)
        if not response.is_success:
            await response.aread()
            raise _refusal(response)
    except httpx2.TimeoutException as error:
        raise openai.APITimeoutError(request=request) from error
    except httpx2.HTTPError as error:
        raise openai.APIConnectionError(request=request) from error
    return response


def _refusal(response: httpx2.Response) -> openai.APIStatusError:
    """As the SDK makes it: of the body only its message is in the error's text."""
    body: Any = response.text.strip()
    with suppress(ValueError):
        body = orjson.loads(body)
    if isinstance(body, dict):
        body = body.get("error", body)
    said = body.get("message") if isinstance(body, dict) else None
    text = f"Error code: {response.status_code}" + (f" - {said}" if isinstance(said, str) and said else "")
    kind = openai.BadRequestError if response.status_code == 400 else openai.APIStatusError
    return kind(text, response=response, body=body)


class DictStream(openai.AsyncStream[JsonObject]):
    """Yields the server-sent events of Chat Completions as dicts; `{"done": True}` is the stream's own end."""

    async def __aiter__(self) -> AsyncIterator[JsonObject]:
        body = self.response.aiter_bytes()
        data: list[bytes] = []
        async for line in _lines(body):
            if not line.startswith(b"data:"):
                if not line and data:
                    raise garbled("an event of the model's stream is no JSON")
                continue
            if not (said := line[5:].strip()) and not data:
                continue
            data.append(said)
            if data == [b"[DONE]"]:
                yield _DONE_MARK
                with suppress(TimeoutError):  # read the body to its end, else the connection is not reused
                    await asyncio.wait_for(_read_out(body), _AFTER_DONE)
                return
            try:
                event = _loads(b" ".join(data))
            except ValueError:
                if len(data) == _MAX_LINES:
                    raise
                continue  # its JSON is continued on the next line
            data = []
            yield self._checked(event)
        if data:
            raise garbled("the last event of the model's stream is no JSON")

    def _checked(self, event: Any) -> JsonObject:
        """Raises JSONDecodeError if it is no object, and APIError for an error event."""
        if not isinstance(event, dict):
            raise garbled("an event of the model's stream is not an object")
        if error := event.get("error"):
            raise openai.APIError(str(error), request=self.response.request, body=error)
        return event


def _loads(data: bytes) -> Any:
    """Also JSON with half of a surrogate pair, NaN, or bytes that are no UTF-8."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return json.loads(data.decode(errors="replace"))


async def _read_out(body: AsyncIterator[bytes]) -> None:
    async for _ in body:
        pass


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the lines without their LF, CRLF or CR. Splits bytes, since a character may span two reads."""
    tail: list[bytes] = []
    async for chunk in chunks:
        for line in chunk.splitlines(keepends=True):
            tail.append(line)
            if line.endswith((b"\n", b"\r")):
                yield b"".join(tail).rstrip(b"\r\n")
                tail = []
    if tail:
        yield b"".join(tail)
