"""Classify model errors: a stable code and a sentence that says what to do.

Provider texts are never passed on: error bodies may contain the key, the prompt or pages.
"""

from __future__ import annotations

import contextlib
import email.utils
import math
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from server.errors import RunFailed
from server.ops.json_types import JsonObject
from wording.catalogue import Wording, joined, sentence

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage


@dataclass(frozen=True)
class ModelFailure:
    """`retry_after` is in seconds, as requested by the provider; None if it did not request one.

    `reason`: in a few words, why another model may answer the same request; "" if none may.
    """

    code: str
    message: Wording
    retryable: bool = False
    retry_after: float | None = None
    reason: str = ""

    def as_error(
        self, model: Wording | None = None, *, has_said: bool = False, has_begun: bool = False
    ) -> ModelFailed:
        """`model` is a sentence that names the model."""
        return ModelFailed(self, joined((self.message, model or "")), has_said=has_said, has_begun=has_begun)


class ModelFailed(RunFailed):
    """A model call failed after its tries. `has_begun`: its answer broke off; `has_said`: with text in it."""

    def __init__(self, failure: ModelFailure, detail: Wording, *, has_said: bool, has_begun: bool) -> None:
        super().__init__(detail, code=failure.code, retry_after=failure.retry_after)
        self.failure = failure
        self.has_begun = has_begun
        self.has_said = has_said


UNAVAILABLE = ModelFailure(
    "llm_unavailable",
    sentence("model.unavailable"),
    True,
    reason="unavailable",
)
RATE_LIMITED = ModelFailure(
    "llm_rate_limited",
    sentence("model.rate_limited"),
    True,
    reason=sentence("model_failure.rate_limited"),
)
NO_CREDIT = ModelFailure(
    "llm_rate_limited",
    sentence("model.no_credit"),
    reason=sentence("model_failure.no_credit"),
)
TIMEOUT = ModelFailure(
    "llm_timeout",
    sentence("model.timeout"),
    reason=sentence("model_failure.timeout"),
)
STREAM_CUT = ModelFailure(
    "llm_stream_cut",
    sentence("model.broke_off"),
    True,
    reason=sentence("model_failure.broke_off"),
)
BAD_RESPONSE = ModelFailure("llm_bad_response", sentence("model.bad_response"), True)
AUTH = ModelFailure(
    "llm_auth",
    sentence("model.key_refused"),
    reason=sentence("model_failure.key_refused"),
)
CONTEXT_TOO_LONG = ModelFailure(
    "llm_context_too_long",
    sentence("model.conversation_too_long"),
)
REQUEST_TOO_LONG = ModelFailure(
    "llm_context_too_long",
    sentence("model.request_too_long"),
)
"""As CONTEXT_TOO_LONG, where nothing has been said before."""
CONTENT_FILTER = ModelFailure("llm_content_filter", sentence("model.filtered"))
OUTPUT_LIMIT = ModelFailure("output_limit", sentence("model.answer_too_long"))
BAD_REQUEST = ModelFailure(
    "llm_bad_request",
    sentence("model.request_refused"),
)
LED_AWAY = ModelFailure(
    "llm_bad_request",
    sentence("model.redirects"),
)
FORBIDDEN_ADDRESS = ModelFailure("llm_bad_request", sentence("model.forbidden_address"))
INTERNAL = ModelFailure("internal", sentence("internal"))

_TOO_LONG = re.compile(
    r"""context[ _-]?(length|window|size|limit)|maximum[ ]context|reduce[ ](the|your)[ ](length|prompt|input)
    |range[ ]of[ ]input[ ]length|(model|total)[ ]tokens?[ ]limit|max[ _]message[ _]tokens
    |max(imum)?[ _](prompt|input|model|sequence|seq)[ _]?(length|len|tokens?)|maximum[ ]supported[ ]sequence
    |(number[ ]of|many)[ ](input[ ])?tokens|tokens[^.]{0,60}must[ ]be[ ](<|less|at[ ]most)|expected[ ]maxlength
    |input[ ]tokens[ ]exceed|超长|超过.{0,12}(长度|上限|限制)|长度超过""",
    re.I | re.X,
)
_PROMPT_TOO_LONG = re.compile(
    r"""\b(prompt|input|inputs|message|messages|conversation|request|context|tokens?)\b[^.]{0,80}?
    (too[ ](long|large|big)|exceed|(longer|larger|greater)[ ]than)""",
    re.I | re.X,
)
_OF_LENGTH = re.compile(r"token|length|context|long\b|maximum size|payload size", re.I)
_UNKNOWN = re.compile(
    r"(unknown|unsupported|unrecogni[sz]ed)( request)? (parameter|field|argument|name)", re.I
)
_OF_RATE = re.compile(r"per[ _]?(second|minute|min|hour|day)|\b[rt]pm\b|rate[ _]limit", re.I)
_FILTERED = re.compile(
    r"content[ _-]?(filter|policy|moderation)|data_inspection_failed|responsible_ai|moderation_blocked"
    r"|['\"](code|type|status|(finish_)?reason)['\"]\s*:\s*['\"]\w*(safety|sensitive|moderation)\w*['\"]",
    re.I,
)
_NO_CREDIT = re.compile(r"insufficient_quota|credit balance|insufficient (credits|balance)|billing", re.I)
_OVERLOADED = re.compile(
    r"overloaded|server_error|api_error|internal_error|unavailable|unexpectedly stopped|running the model",
    re.I,
)
_RATE = re.compile(r"rate_limit|resource_exhausted|too many requests", re.I)
_KEY_ERROR = re.compile(r"authentication|invalid_api_key|permission|unauthori[sz]ed", re.I)
_BAD_KEY = re.compile(r"api[ _]key[ _](not valid|invalid|expired)", re.I)
_RETRY_DELAY = re.compile(r"retryDelay\W+(\d+(?:\.\d+)?)s")
"""Google's retry delay. If present, its "check your plan and billing" does not mean an empty account."""
_TOKEN_COUNT = re.compile(r"(?<![\w.-])\d{1,3}(?:,\d{3})+(?![\w.])|(?<![\w.-])\d{3,9}(?!\w)")
_USED = re.compile(
    r"(?:requested|resulted in|contains?|passed|given|has)\W*(?:about |a total of )?([\d,]{3,11})", re.I
)
_LIMIT = re.compile(
    r"(?:(?:length|limit)(?: is| of)?|maximum(?: of)?|at most|<=|>)(?: only)?\W{1,3}([\d,]{3,11})", re.I
)


def classify(error: BaseException) -> ModelFailure:
    """Classify any exception of a model call: ours, LangChain's, an SDK's or the transport's. Never raises."""
    try:
        return _classified(error)
    except Exception:  # an error that cannot even be read: its parts are the provider's
        return INTERNAL


def _classified(error: BaseException) -> ModelFailure:
    if isinstance(error, ModelFailed):
        return error.failure
    if isinstance(error, RunFailed):
        return ModelFailure(error.code, error.detail, retry_after=error.retry_after)
    for link in _chain(error):
        status = http_status(link)
        if status is not None and status >= 400:
            return _of_status(status, link)
    # By class names, so that no SDK must be imported. An SDK's "connection error" is less specific than its cause.
    names = {cls.__name__ for link in _chain(error) for cls in type(link).__mro__}
    by_kind = next((failure for kinds, failure in _ERROR_KINDS if names & kinds), None)
    return by_kind or _of_text(text_of(error)) or INTERNAL


def too_long(failure: ModelFailure, error: BaseException, *, is_first: bool) -> ModelFailure:
    """The failure CONTEXT_TOO_LONG with both numbers, if the provider gave them. `is_first`: nothing was said before."""
    words = (REQUEST_TOO_LONG if is_first else CONTEXT_TOO_LONG).message
    counts = next(filter(None, map(_token_counts, _chain(error))), None)
    if counts:
        sizes = sentence("model.sizes", tokens=f"{counts[0]:,}", limit=f"{counts[1]:,}")
        words = joined((words, sizes))
    return replace(failure, message=words)


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
    "sensitive": "content_filter",
    "content_filtered": "content_filter",
    "guardrail_intervened": "content_filter",
    "model_length": "length",
}
_BROKEN_OFF = frozenset(
    {
        "error", "abort", "aborted", "cancel", "cancelled", "canceled", "network_error", "server_error", "timeout",
        "insufficient_system_resource", "failed", "interrupted", "unknown_error", "internal_error",
    }
)  # fmt: skip
"""Reasons of an answer that the server itself did not finish."""
_BROKEN = frozenset({"malformed_function_call", "unexpected_tool_call", "malformed_response"})


def problem(reason: str | None, *, has_calls: bool, has_text: bool) -> ModelFailure | None:
    """Why a finished answer must not be used, None if it may.

    If an answer was cut by length, its tool calls have guessed arguments: LangChain closes open brackets.
    """
    if reason == "content_filter":
        return CONTENT_FILTER
    if reason == "length" and (has_calls or not has_text):
        return OUTPUT_LIMIT
    if reason in _BROKEN_OFF:
        return STREAM_CUT
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
    text = text_of(error)
    if status in (401, 403) or (status == 400 and _BAD_KEY.search(text)):
        return AUTH
    if _is_unpaid(status, text):
        return NO_CREDIT
    if status == 413 or (status in (400, 422) and _is_too_long(text)):
        return CONTEXT_TOO_LONG
    if status == 404:
        return replace(BAD_REQUEST, reason=sentence("model_failure.unknown"))
    if status == 429:
        return replace(RATE_LIMITED, retry_after=_wait(text, error))
    if status in (408, 409, 425) or status >= 500:
        return replace(UNAVAILABLE, retry_after=_wait(text, error))
    return CONTENT_FILTER if _FILTERED.search(text) else BAD_REQUEST


def _is_unpaid(status: int, text: str) -> bool:
    """A text on credit decides unless it names a delay, which ends a limit, or a model that does not exist."""
    is_limit = _RETRY_DELAY.search(text) or _UNKNOWN.search(text)
    return status == 402 or (status in (400, 429) and not is_limit and _NO_CREDIT.search(text) is not None)


def _wait(text: str, error: BaseException) -> float | None:
    """Seconds after which a provider wants to be asked again, from its text or its headers."""
    delay = _RETRY_DELAY.search(text)
    return float(delay[1]) if delay else _retry_after(error)


def _is_too_long(text: str) -> bool:
    if _OF_RATE.search(text) or _UNKNOWN.search(text):
        return False
    return bool(_TOO_LONG.search(text) or (_PROMPT_TOO_LONG.search(text) and _OF_LENGTH.search(text)))


_ERROR_KINDS: tuple[tuple[frozenset[str], ModelFailure], ...] = (
    (frozenset({"LedAway"}), LED_AWAY),
    (frozenset({"ForbiddenAddress"}), FORBIDDEN_ADDRESS),
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
    if _is_too_long(text):
        return CONTEXT_TOO_LONG
    for pattern, failure in (
        (_NO_CREDIT, NO_CREDIT),
        (_RATE, RATE_LIMITED),
        (_KEY_ERROR, AUTH),
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


def http_status(error: BaseException) -> int | None:
    """The HTTP status of a failed call: of its response, or the number that an error inside of a stream gives itself.

    `code` counts only if there is a response: HTTP parsers number their errors too.
    """
    value = getattr(error, "status_code", None)
    if not isinstance(value, int) and hasattr(error, "response"):
        value = getattr(error, "code", None)
    if not isinstance(value, int):
        value = getattr(getattr(error, "response", None), "status_code", None)
    if isinstance(value, int) and value >= 400:
        return value
    said = (detail.get(key) for detail in details_of(error) for key in _NUMBERS)
    return next((number for number in map(_as_status, said) if number), None)


_NUMBERS = ("code", "status", "status_code", "http_code", "http_status")


def _as_status(value: object) -> int | None:
    if isinstance(value, str) and value.isdecimal() and len(value) == 3:
        value = int(value)
    return value if isinstance(value, int) and 400 <= value < 600 else None


def details_of(error: BaseException) -> list[Mapping[str, object]]:
    """The objects in which the provider describes the error, the outermost first."""
    found: list[Mapping[str, object]] = []
    for given in (
        getattr(error, "body", None),
        getattr(error, "error", None),
        getattr(error, "details", None),
    ):
        while isinstance(given, Mapping) and len(found) < 8:
            found.append(given)
            given = given.get("error")
    return found


def _token_counts(error: BaseException) -> tuple[int, int] | None:
    """Tokens of the request and of the model's context, in this order, if the error names them."""
    for detail in details_of(error):
        used, limit = detail.get("n_prompt_tokens"), detail.get("n_ctx")
        if isinstance(used, int) and isinstance(limit, int):
            return used, limit
    text = next((m for d in details_of(error) if isinstance(m := d.get("message"), str)), str(error))[:2000]
    numbers = {
        _number(found) for found in _TOKEN_COUNT.findall(re.sub(r"(?i)(error|status) code: -?\d+", "", text))
    }
    if len(numbers) == 2:
        return max(numbers), min(numbers)
    used_at, limit_at = _USED.search(text), _LIMIT.search(text)
    if used_at and limit_at and _number(used_at[1]) > _number(limit_at[1]):
        return _number(used_at[1]), _number(limit_at[1])
    return None


def _number(text: str) -> int:
    return int(text.replace(",", "") or 0)


def text_of(error: BaseException) -> str:
    """What the error says, its body included: for patterns, never for people."""
    return f"{error} {getattr(error, 'body', '') or ''}"


def _retry_after(error: BaseException) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with contextlib.suppress(ValueError, TypeError, OverflowError):
            seconds = float(headers.get(name) or "") * scale
            if math.isfinite(seconds):
                return max(seconds, 0.0)
    with contextlib.suppress(ValueError, TypeError, IndexError, OverflowError, OSError):
        when = email.utils.parsedate_to_datetime(headers.get("retry-after") or "")
        return max(when.timestamp() - time.time(), 0.0)
    return None
