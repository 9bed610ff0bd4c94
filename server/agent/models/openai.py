"""OpenAI's API: Responses by ChatOpenAI, Chat Completions of any server with thinking and low cost per token."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import httpx2
import openai
import orjson
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from pydantic import SecretStr, model_validator

from server.agent.models.guard import GuardedModel
from server.agent.models.providers import is_own_server
from server.agent.models.transport import model_http_client, sync_http_client
from server.ops.json_types import JsonObject
from server.settings import Settings

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
        converted = super()._convert_chunk_to_generation_chunk(
            chunk, default_chunk_class, base_generation_info
        )
        choices = chunk.get("choices")
        if converted is None or not choices or not choices[0].get("delta"):
            return converted
        if thinking := _thinking(choices[0]["delta"]):
            converted.message.additional_kwargs.update(thinking)
        # LangChain converts reasoning_content to reasoning blocks for any provider except "openai".
        converted.message.response_metadata["model_provider"] = "openai_compatible"
        return converted

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: object
    ) -> JsonObject:
        messages = self._convert_input(input_).to_messages()
        payload = super()._get_request_payload(messages, stop=stop, **kwargs)
        if "max_completion_tokens" in payload:
            payload["max_tokens"] = payload.pop("max_completion_tokens")
        turn = max((i for i, message in enumerate(messages) if isinstance(message, HumanMessage)), default=-1)
        for i, (message, sent) in enumerate(zip(messages, payload["messages"], strict=True)):
            if sent["role"] == "tool" and isinstance(sent["content"], list):
                sent["content"] = [
                    part if part.get("type") == "text" else _NO_PICTURE for part in sent["content"]
                ]
            elif i > turn and isinstance(message, AIMessage):
                sent.update(_sent_back(message))
        return self.refused.apply(payload)


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


def _thinking(delta: JsonObject) -> JsonObject:
    details = [d for d in delta.get("reasoning_details") or () if isinstance(d, dict)]
    text = delta.get("reasoning_content") or delta.get("reasoning")
    if not text:
        text = "".join(str(d.get("text") or d.get("summary") or "") for d in details)
    found: JsonObject = {"reasoning_content": text} if text else {}
    if details:
        found["reasoning_details"] = [{"detail": d} for d in details]
    return found


def _sent_back(message: AIMessage) -> JsonObject:
    details = [d["detail"] for d in message.additional_kwargs.get("reasoning_details") or ()]
    if details:
        return {"reasoning_details": _joined(details)}
    text = message.additional_kwargs.get("reasoning_content")
    return {"reasoning_content": text} if text else {}


def _joined(fragments: list[JsonObject]) -> list[JsonObject]:
    """Merge consecutive stream fragments of one detail (same type and index)."""
    whole: list[JsonObject] = []
    for part in fragments:
        last = whole[-1] if whole else {}
        if (part.get("type"), part.get("index")) != (last.get("type"), last.get("index")):
            whole.append(dict(part))
            continue
        for key, value in part.items():
            grows = key in ("text", "summary", "data") and isinstance(last.get(key), str) and value
            last[key] = last[key] + value if grows else value if value is not None else last.get(key)
    return whole


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
    """Yields the server-sent events of Chat Completions as dicts.

    Neighbouring pieces of one tool call's arguments that were read together become one event: the operator's
    answers are arguments.
    """

    async def __aiter__(self) -> AsyncIterator[JsonObject]:
        async for lines in _lines(self.response.aiter_bytes()):
            pieces: _ArgumentPieces | None = None
            try:
                for line in lines:
                    event = self._read(line)
                    if event is None or (pieces and pieces.take(event)):
                        continue
                    if pieces:
                        yield pieces.joined()
                    pieces = _pieces_of(event)
                    if pieces is None:
                        yield event
            except (ValueError, openai.APIError):
                if pieces:
                    yield pieces.joined()  # what came before the error
                raise
            if pieces:
                yield pieces.joined()

    def _read(self, line: bytes) -> JsonObject | None:
        """The event in a line; None if it has none. Raises ValueError, and APIError for an error event."""
        if not line.startswith(b"data:"):
            return None
        data = line[5:].strip()
        if data == b"[DONE]":
            return None  # read the body to its end, else the connection is not reused
        event = orjson.loads(data)
        if not isinstance(event, dict):
            raise ValueError("an event of the model's stream is not an object")
        if error := event.get("error"):
            raise openai.APIError(str(error), request=self.response.request, body=error)
        return event


@dataclass(slots=True)
class _ArgumentPieces:
    """An event that holds nothing but a piece of a call's arguments, with the pieces that followed it."""

    event: JsonObject
    index: object
    function: JsonObject
    texts: list[str]

    def take(self, event: JsonObject) -> bool:
        """Add the event if it is the next piece of the same arguments."""
        other = _pieces_of(event)
        if other is None or other.index != self.index:
            return False
        self.texts += other.texts
        return True

    def joined(self) -> JsonObject:
        self.function["arguments"] = "".join(self.texts)
        return self.event


def _pieces_of(event: JsonObject) -> _ArgumentPieces | None:
    """None for an event that says anything else: a name, an id, a text, usage or the end."""
    choices = event.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or event.get("usage"):
        return None
    match choices[0]:
        case {
            "delta": {
                "tool_calls": [{"index": index, "function": {"arguments": str(text)} as function} as call]
            }
        }:
            delta: JsonObject = choices[0]["delta"]
            said = [choices[0].get("finish_reason"), choices[0].get("logprobs")]
            said += [value for name, value in delta.items() if name not in ("tool_calls", "role")]
            said += [value for name, value in call.items() if name not in ("index", "function", "type")]
            said += [value for name, value in function.items() if name != "arguments"]
            return None if any(said) else _ArgumentPieces(event, index, function, [text])
    return None


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[list[bytes]]:
    """Yield the whole lines of each read without their LF or CRLF. Splits bytes, since a character may span two
    reads."""
    tail = b""
    async for chunk in chunks:
        *lines, tail = (tail + chunk).split(b"\n")
        yield [line.rstrip(b"\r") for line in lines]
