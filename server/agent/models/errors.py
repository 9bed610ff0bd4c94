"""Classify model errors: a stable code and a sentence that says what to do.

Provider texts are never passed on: error bodies may contain the key, the prompt or pages.
"""

from __future__ import annotations

import contextlib
import email.utils
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from server.errors import RunFailed
from server.ops.json_types import JsonObject

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage


@dataclass(frozen=True)
class ModelFailure:
    """`retry_after` is in seconds, as requested by the provider; None if it did not request one."""

    code: str
    message: str
    retryable: bool = False
    retry_after: float | None = None

    def as_error(self) -> RunFailed:
        return RunFailed(self.message, code=self.code, retry_after=self.retry_after)


UNAVAILABLE = ModelFailure(
    "llm_unavailable", "The model provider cannot be reached or is overloaded. Try again in a moment.", True
)
RATE_LIMITED = ModelFailure(
    "llm_rate_limited",
    "The model provider limits how often it may be asked. Wait a little, then try again.",
    True,
)
NO_CREDIT = ModelFailure(
    "llm_rate_limited",
    "The account at the model provider has no credit or quota left. Check its billing page.",
)
TIMEOUT = ModelFailure(
    "llm_timeout",
    "The model took too long to answer. Try again, choose a faster model or raise MODEL_TIMEOUT.",
)
STREAM_CUT = ModelFailure(
    "llm_stream_cut", "The connection to the model broke off in the middle of its answer. Try again.", True
)
BAD_RESPONSE = ModelFailure(
    "llm_bad_response", "The model's answer could not be understood. Try again or choose another model.", True
)
AUTH = ModelFailure(
    "llm_auth", "The model provider refused the key. Check the key of this provider and what it may use."
)
CONTEXT_TOO_LONG = ModelFailure(
    "llm_context_too_long",
    "This conversation has grown too long for the model. Start a new session or choose a model with a larger context.",
)
CONTENT_FILTER = ModelFailure(
    "llm_content_filter", "The model provider's content filter stopped the answer. Word the task differently."
)
OUTPUT_LIMIT = ModelFailure(
    "output_limit", "The answer grew past its limit. Ask for less at once, or raise MODEL_MAX_TOKENS."
)
BAD_REQUEST = ModelFailure(
    "llm_bad_request",
    "The model provider refused the request. Check that the model's name is right and can use tools.",
)
INTERNAL = ModelFailure("internal", "Something went wrong inside the service. Its log has the details.")

_TOO_LONG = re.compile(
    r"context[ _](length|window)|prompt is too long|too many (input )?tokens|maximum context|input tokens exceed"
    r"|maximum number of tokens|exceeds the available context",
    re.I,
)
_FILTERED = re.compile(r"content[ _](filter|policy)|data_inspection_failed|responsible_ai|safety", re.I)
_NO_CREDIT = re.compile(r"insufficient_quota|credit balance|insufficient (credits|balance)|billing", re.I)
_OVERLOADED = re.compile(
    r"overloaded|server_error|api_error|internal_error|unavailable|unexpectedly stopped|running the model",
    re.I,
)
_RATE = re.compile(r"rate_limit|resource_exhausted|too many requests", re.I)
_KEY = re.compile(r"authentication|invalid_api_key|permission|unauthori[sz]ed", re.I)
_BAD_KEY = re.compile(r"api[ _]key[ _](not valid|invalid|expired)", re.I)
_RETRY_DELAY = re.compile(r"retryDelay\W+(\d+(?:\.\d+)?)s")
"""Google's retry delay. If present, its "check your plan and billing" does not mean an empty account."""


def classify(error: BaseException) -> ModelFailure:
    """Classify any exception of a model call: ours, LangChain's, an SDK's or the transport's."""
    if isinstance(error, RunFailed):
        return ModelFailure(error.code, error.detail, retry_after=error.retry_after)
    for link in _chain(error):
        status = _status(link)
        if status is not None and status >= 400:
            return _of_status(status, link)
    # By class names, so that no SDK must be imported. An SDK's "connection error" is less specific than its cause.
    names = {cls.__name__ for link in _chain(error) for cls in type(link).__mro__}
    by_kind = next((failure for kinds, failure in _KINDS if names & kinds), None)
    return by_kind or _of_text(_text(error)) or INTERNAL


def stop_reason(metadata: JsonObject) -> str | None:
    """Why the model stopped, normalised to stop, tool_calls, length or content_filter, else the provider's
    own word in lower case. None if the metadata has no reason yet."""
    if (metadata.get("prompt_feedback") or {}).get("block_reason"):
        return "content_filter"
    details = metadata.get("incomplete_details") or {}
    for key in ("stop_reason", "finish_reason", "done_reason", "status"):
        if word := metadata.get(key):
            word = str(details.get("reason") if word == "incomplete" and details else word).lower()
            return _SAME_REASON.get(word, word)
    return None


_SAME_REASON = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "completed": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "incomplete": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
    "safety": "content_filter",
    "prohibited_content": "content_filter",
    "blocklist": "content_filter",
    "recitation": "content_filter",
    "spii": "content_filter",
}
_BROKEN = frozenset({"malformed_function_call", "unexpected_tool_call", "malformed_response"})


def problem(reason: str | None, *, has_calls: bool, has_text: bool) -> ModelFailure | None:
    """Why a finished answer must not be used, None if it may.

    If an answer was cut by length, its tool calls have guessed arguments: LangChain closes open brackets.
    """
    if reason == "content_filter":
        return CONTENT_FILTER
    if reason == "length" and (has_calls or not has_text):
        return OUTPUT_LIMIT
    if reason in _BROKEN:
        return BAD_RESPONSE
    return None if has_calls or has_text else BAD_RESPONSE


def check_complete(message: AIMessage) -> None:
    """Raise RunFailed if a finished message must not be used (see `problem`)."""
    calls = bool(message.tool_calls or message.invalid_tool_calls)
    reason = stop_reason(message.response_metadata)
    if failure := problem(reason, has_calls=calls, has_text=bool(message.text.strip())):
        raise failure.as_error()


def is_cut(message: AIMessage) -> bool:
    """True for an answer that is shown although its length limit cut it."""
    return stop_reason(message.response_metadata) == "length"


def broken_tool_calls(message: AIMessage) -> dict[str, str]:
    """Tool calls whose arguments were not valid JSON: call id -> the arguments as written, shortened.

    LangChain repairs such arguments silently, so these calls must be answered with an error, not executed.
    """
    return dict(message.response_metadata.get("broken_tool_calls") or {})


def _of_status(status: int, error: BaseException) -> ModelFailure:
    text = _text(error)
    if status in (401, 403) or (status == 400 and _BAD_KEY.search(text)):
        return AUTH
    delay = _RETRY_DELAY.search(text)
    if status == 402 or (status in (400, 429) and not delay and _NO_CREDIT.search(text)):
        return NO_CREDIT
    if status == 413 or (status in (400, 422) and _TOO_LONG.search(text)):
        return CONTEXT_TOO_LONG
    wait = float(delay[1]) if delay else _retry_after(error)
    if status == 429:
        return replace(RATE_LIMITED, retry_after=wait)
    if status in (408, 409, 425) or status >= 500:
        return replace(UNAVAILABLE, retry_after=wait)
    return CONTENT_FILTER if _FILTERED.search(text) else BAD_REQUEST


_KINDS: tuple[tuple[frozenset[str], ModelFailure], ...] = (
    (frozenset({"ContextOverflowError"}), CONTEXT_TOO_LONG),
    (frozenset({"LengthFinishReasonError"}), OUTPUT_LIMIT),
    (frozenset({"ContentFilterFinishReasonError", "OpenAIRefusalError"}), CONTENT_FILTER),
    (frozenset({"ModelAuthenticationError", "ModelPermissionDeniedError"}), AUTH),
    (frozenset({"ModelRateLimitError"}), RATE_LIMITED),
    (
        frozenset({"ConnectError", "ConnectTimeout", "gaierror", "ConnectionRefusedError", "ProxyError"}),
        UNAVAILABLE,
    ),
    (frozenset({"ReadError", "WriteError", "RemoteProtocolError", "IncompleteReadError"}), STREAM_CUT),
    (frozenset({"ConnectionResetError", "BrokenPipeError"}), STREAM_CUT),
    (frozenset({"TimeoutError", "TimeoutException", "APITimeoutError", "ModelTimeoutError"}), TIMEOUT),
    (
        frozenset({"JSONDecodeError", "UnicodeDecodeError", "APIResponseValidationError", "ValidationError"}),
        BAD_RESPONSE,
    ),
    (
        frozenset({"APIConnectionError", "ModelConnectionError", "ConnectionError", "NetworkError"}),
        UNAVAILABLE,
    ),
)


def _of_text(text: str) -> ModelFailure | None:
    """Classify errors that arrive inside a stream and have only a text, no status."""
    for pattern, failure in (
        (_TOO_LONG, CONTEXT_TOO_LONG),
        (_NO_CREDIT, NO_CREDIT),
        (_RATE, RATE_LIMITED),
        (_KEY, AUTH),
        (_OVERLOADED, UNAVAILABLE),
        (_FILTERED, CONTENT_FILTER),
    ):
        if pattern.search(text):
            return failure
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = error
    for _ in range(10):
        if link is None:
            return
        yield link
        link = link.__cause__ or link.__context__


def _status(error: BaseException) -> int | None:
    """The HTTP status. `code` counts only if there is a response: HTTP parsers number their errors too."""
    value = getattr(error, "status_code", None)
    if not isinstance(value, int) and hasattr(error, "response"):
        value = getattr(error, "code", None)
    if not isinstance(value, int):
        value = getattr(getattr(error, "response", None), "status_code", None)
    return value if isinstance(value, int) else None


def _text(error: BaseException) -> str:
    return f"{error} {getattr(error, 'body', '') or ''}"


def _retry_after(error: BaseException) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    value = headers.get("retry-after")
    if not value:
        return None
    with contextlib.suppress(ValueError):
        return max(float(value), 0.0)
    when = email.utils.parsedate_to_datetime(value) if ":" in value else None
    return max(when.timestamp() - time.time(), 0.0) if when else None
