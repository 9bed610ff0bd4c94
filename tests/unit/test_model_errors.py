"""Every way a model call can fail has a code, a sentence for people, and reveals no secret."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest
from langchain_core.messages import AIMessage

from server.agent.models.errors import (
    broken_tool_calls,
    check_complete,
    classify,
    is_cut,
    stop_reason,
)
from server.errors import RunFailed

SECRET = "sk-very-secret-123"


class StatusError(Exception):
    """Shaped like the SDKs' errors."""

    def __init__(self, status: int, text: str = SECRET, **headers: str) -> None:
        super().__init__(text)
        self.status_code = status
        self.response = httpx2.Response(status, headers={k.replace("_", "-"): v for k, v in headers.items()})


def wrapped(inner: Exception, outer: Exception) -> Exception:
    outer.__cause__ = inner
    return outer


class RefusedCall(Exception):
    """LangChain's word for it, without a status of its own."""


class ParserError(Exception):
    """HTTP parsers number their errors like statuses."""

    code = 400


class APIConnectionError(Exception):
    pass


@pytest.mark.parametrize(
    ("error", "code", "retryable"),
    [
        (StatusError(401), "llm_auth", False),
        (StatusError(403), "llm_auth", False),
        (StatusError(402), "llm_rate_limited", False),
        (StatusError(429), "llm_rate_limited", True),
        (StatusError(429, "You exceeded your quota: insufficient_quota"), "llm_rate_limited", False),
        (StatusError(400, "Your credit balance is too low"), "llm_rate_limited", False),
        (StatusError(400, "prompt is too long: 9 > 8"), "llm_context_too_long", False),
        (
            StatusError(400, "This model's maximum context length is 8192 tokens"),
            "llm_context_too_long",
            False,
        ),
        (StatusError(413), "llm_context_too_long", False),
        (StatusError(400, "content_filter triggered"), "llm_content_filter", False),
        (StatusError(400, "tools.0: bad"), "llm_bad_request", False),
        (StatusError(404, "model: nope"), "llm_bad_request", False),
        (StatusError(500), "llm_unavailable", True),
        (StatusError(503), "llm_unavailable", True),
        (StatusError(529), "llm_unavailable", True),
        (wrapped(StatusError(429), RefusedCall(SECRET)), "llm_rate_limited", True),
        (wrapped(ParserError(), httpx2.ReadError("reset")), "llm_stream_cut", True),
        (StatusError(400, "API key not valid. Please pass a valid API key."), "llm_auth", False),
        (StatusError(400, "API key expired. Please renew the API key."), "llm_auth", False),
        (
            StatusError(400, "The input token count (9) exceeds the maximum number of tokens allowed (8)."),
            "llm_context_too_long",
            False,
        ),
        (StatusError(429, "check your plan and billing. 'retryDelay': '34.07s'"), "llm_rate_limited", True),
        (ValueError("llama runner process has unexpectedly stopped"), "llm_unavailable", True),
        (TimeoutError(), "llm_timeout", False),
        (wrapped(httpx2.ConnectError("no"), APIConnectionError()), "llm_unavailable", True),
        (wrapped(httpx2.ConnectTimeout("no"), APIConnectionError()), "llm_unavailable", True),
        (wrapped(httpx2.ReadError("reset"), APIConnectionError()), "llm_stream_cut", True),
        (httpx2.RemoteProtocolError("closed"), "llm_stream_cut", True),
        (json.JSONDecodeError("bad", "{", 0), "llm_bad_response", True),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), "llm_bad_response", True),
        (ValueError("server_error: The server had an error"), "llm_unavailable", True),
        (ValueError("rate_limit_exceeded: slow down"), "llm_rate_limited", True),
        (ValueError(SECRET), "internal", False),
    ],
)
def test_each_failure_has_its_code(error: Exception, code: str, retryable: bool) -> None:
    failure = classify(error)
    assert (failure.code, failure.retryable) == (code, retryable)
    assert SECRET not in failure.message
    assert failure.message.endswith(".")


@pytest.mark.parametrize(("header", "seconds"), [("7", 7.0), ("0.5", 0.5), ("-3", 0.0), ("nonsense", None)])
def test_the_providers_wish_to_wait_is_read(header: str, seconds: float | None) -> None:
    assert classify(StatusError(429, retry_after=header)).retry_after == seconds


def test_a_date_to_wait_for_is_read() -> None:
    past = classify(StatusError(503, retry_after="Wed, 21 Oct 2015 07:28:00 GMT"))
    assert past.retry_after == 0.0


def test_our_own_errors_keep_their_words() -> None:
    failure = classify(RunFailed("Stop.", code="step_limit", retry_after=3))
    assert (failure.code, failure.message, failure.retry_after) == ("step_limit", "Stop.", 3)


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({}, None),
        ({"stop_reason": "end_turn"}, "stop"),
        ({"stop_reason": "tool_use"}, "tool_calls"),
        ({"stop_reason": "max_tokens"}, "length"),
        ({"finish_reason": "length"}, "length"),
        ({"finish_reason": "MAX_TOKENS"}, "length"),
        ({"finish_reason": "SAFETY"}, "content_filter"),
        ({"status": "completed"}, "stop"),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length"),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "content_filter"),
        ({"done_reason": "stop"}, "stop"),
        ({"finish_reason": "SPII"}, "content_filter"),
        ({"prompt_feedback": {"block_reason": "OTHER"}}, "content_filter"),
        ({"prompt_feedback": {"block_reason": None}}, None),
    ],
)
def test_all_providers_stop_in_one_vocabulary(metadata: dict[str, Any], reason: str | None) -> None:
    assert stop_reason(metadata) == reason


CALL = {"name": "click", "args": {}, "id": "1", "type": "tool_call"}


def message(text: str = "", reason: str = "stop", calls: bool = False) -> AIMessage:
    made: list[Any] = [CALL] if calls else []
    return AIMessage(text, tool_calls=made, response_metadata={"finish_reason": reason})


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (message("cut", "length", calls=True), "output_limit"),
        (message("", "length"), "output_limit"),
        (message("no", "content_filter"), "llm_content_filter"),
        (message("  "), "llm_bad_response"),
        (message("Let me see", "MALFORMED_FUNCTION_CALL"), "llm_bad_response"),
    ],
)
def test_an_answer_that_is_not_whole_is_not_acted_on(answer: AIMessage, code: str) -> None:
    with pytest.raises(RunFailed) as failed:
        check_complete(answer)
    assert failed.value.code == code


def test_whole_answers_and_texts_cut_by_length_pass() -> None:
    for answer in (message("hello"), message(calls=True, reason="tool_calls"), message("half", "length")):
        check_complete(answer)
    assert is_cut(message("half", "length"))
    assert not is_cut(message("whole"))
    assert broken_tool_calls(message("whole")) == {}
