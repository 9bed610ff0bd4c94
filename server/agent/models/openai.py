"""Add to ChatOpenAI for OpenAI-compatible servers: thinking, and a stream with low cost per token."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import openai
import orjson
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI

_NO_PICTURE = {"type": "text", "text": "(a picture was left out: it cannot be part of a tool result here)"}


class CompatibleChat(ChatOpenAI):
    """Chat Completions of any compatible server.

    Thinking (`reasoning_content`, `reasoning`, `reasoning_details`) is streamed as reasoning blocks and sent
    back within a turn, as DeepSeek, Kimi and Gemini via OpenRouter require between tool calls.
    """

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
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
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
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
        return payload


def _thinking(delta: Mapping[str, Any]) -> dict[str, Any]:
    details = [d for d in delta.get("reasoning_details") or () if isinstance(d, dict)]
    text = delta.get("reasoning_content") or delta.get("reasoning")
    if not text:
        text = "".join(str(d.get("text") or d.get("summary") or "") for d in details)
    found: dict[str, Any] = {"reasoning_content": text} if text else {}
    if details:
        found["reasoning_details"] = [{"detail": d} for d in details]
    return found


def _sent_back(message: AIMessage) -> dict[str, Any]:
    details = [d["detail"] for d in message.additional_kwargs.get("reasoning_details") or ()]
    if details:
        return {"reasoning_details": _joined(details)}
    text = message.additional_kwargs.get("reasoning_content")
    return {"reasoning_content": text} if text else {}


def _joined(fragments: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Merge consecutive stream fragments of one detail (same type and index)."""
    whole: list[dict[str, Any]] = []
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
    the cost of a token. Keys, retries, timeouts and errors are still handled by the SDK. All calls except a
    plain stream are passed to the SDK's own resource.
    """

    def __init__(self, client: openai.AsyncOpenAI) -> None:
        self._client = client
        self._own = client.chat.completions

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    async def create(self, **payload: Any) -> Any:
        if not payload.get("stream") or any(key in payload for key in ("extra_query", "timeout")):
            return await self._own.create(**payload)
        headers, extra = payload.pop("extra_headers", None), payload.pop("extra_body", None)
        return await self._client.post(
            "/chat/completions",
            cast_to=object,
            body=payload | (extra or {}),
            options={"headers": headers} if headers else {},
            stream=True,
            stream_cls=DictStream,
        )


class DictStream(openai.AsyncStream[Any]):
    """Yields the server-sent events of Chat Completions as dicts."""

    async def __aiter__(self) -> AsyncIterator[Any]:
        async for line in _lines(self.response.aiter_bytes()):
            if not line.startswith(b"data:"):
                continue
            data = line[5:].strip()
            if data == b"[DONE]":
                continue  # read the body to its end, else the connection is not reused
            event = orjson.loads(data)
            if not isinstance(event, dict):
                raise ValueError("an event of the model's stream is not an object")
            if error := event.get("error"):
                raise openai.APIError(str(error), request=self.response.request, body=error)
            yield event


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield whole lines without their LF or CRLF. Splits bytes, since a character may span two chunks."""
    tail = b""
    async for chunk in chunks:
        *lines, tail = (tail + chunk).split(b"\n")
        for line in lines:
            yield line.rstrip(b"\r")
