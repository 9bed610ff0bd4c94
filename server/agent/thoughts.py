"""A model's reasoning, as it arrives and redacted for the log. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from langchain_core.messages import AIMessage, AIMessageChunk
from pydantic_core import from_json

from server.agent.gate.masking import MASK, without
from server.agent.models.text_channel import THOUGHTS
from server.ops.json_types import Json

_TYPED_KEYS = ("text", "value")
"""Arguments of browser tools, on all MCP servers, that hold the text to type into a page."""
_STATED = re.compile(
    r"((?:pass(?:word|code|phrase)|passwort|kennwort|mot de passe|contraseña|senha|hasło|şifre|парол|пин-?код"
    r"|\bpin\b|\botp\b|\bcv[vc]\d?\b|secret|token|api[ _-]?key)\w*[\s:=\"'`«“-]*(?:(?:is|as|to|это|как)\b[\s:\"'`«“]*)?)\S+",
    re.IGNORECASE,
)
_SECRET_CODE = re.compile(r"(\b(?:code|код|pin|otp)\w*(?:\W+\w+){0,3}?\W+)\d{4,8}\b", re.IGNORECASE)
"""One-time codes."""
_LONG_NUMBER = re.compile(r"\b\d(?:[ -]?\d){11,18}\b")
"""Card and account numbers."""


def thought_of(chunk: AIMessageChunk) -> str:
    """The reasoning in a chunk: found in its text, in LangChain's format or in the provider's."""
    if isinstance(chunk.content, str) and not chunk.additional_kwargs:
        return ""
    parts = [chunk.additional_kwargs.get(THOUGHTS) or ""]
    for block in chunk.content_blocks:
        if block["type"] == "reasoning":
            parts.append(block.get("reasoning") or "")
        elif block["type"] == "non_standard":
            parts.append((block.get("value") or {}).get("thinking") or "")
    return "".join(parts)


def loggable(thoughts: str, typed: Iterable[str]) -> str:
    """Mask what was `typed` into pages, what follows "password", "code" and the like, and long numbers.

    More is masked than necessary: which field the words go into is known only after the thoughts.
    """
    plain = without([text for text in typed if text.strip()], thoughts)
    return _LONG_NUMBER.sub(MASK, _SECRET_CODE.sub(rf"\1{MASK}", _STATED.sub(rf"\1{MASK}", plain)))


def typed_by(message: object) -> Iterator[str]:
    """The texts that this message's calls type into a page: of tool calls, or of a move by JSON schema."""
    if not isinstance(message, AIMessage):
        return
    for call in message.tool_calls:
        yield from _typed(call["args"])
    if not message.tool_calls:
        try:
            yield from _typed(from_json(message.text, allow_partial=True))
        except ValueError:
            return


def _typed(value: Json) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _typed(item)
    if isinstance(value, dict):
        for name, item in value.items():
            if name in _TYPED_KEYS and isinstance(item, str):
                yield item
            else:
                yield from _typed(item)
