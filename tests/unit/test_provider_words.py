"""What providers say when a call fails, in their own words and over the real SDKs: it ends in the right code."""

from __future__ import annotations

import json
import socket
import time
from email.utils import formatdate
from typing import Any

import httpx2
import pytest
from langchain_core.messages import AIMessage, HumanMessage

from server.agent.models.chat_model import build_chat_model
from server.agent.models.errors import ModelFailed, classify
from server.agent.models.transport import ForbiddenAddress, NoMetadataResolver
from tests.support.model_reply import say
from tests.support.raw_model import Raw, RawServer, json_error, raw_server

STREAM = {"content-type": "text/event-stream"}


class Refused(Exception):
    """Shaped like the SDKs' errors."""

    def __init__(self, status: int, text: str, **headers: str) -> None:
        super().__init__(text)
        self.status_code = status
        self.response = httpx2.Response(status, headers={k.replace("_", "-"): v for k, v in headers.items()})


def chat(server: RawServer, **more: Any) -> Any:
    model: Any = build_chat_model("openai:some-model", server.settings(**more))
    model._limits = model._limits.__class__(first_token=5, idle=5, backoff=0.01)
    return model


def events(*datas: dict[str, Any]) -> Raw:
    return Raw(200, b"".join(b"data: " + json.dumps(data).encode() + b"\n\n" for data in datas), STREAM)


def delta(text: str, finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]}


async def failure(model: Any, asked: Any = "hi") -> ModelFailed:
    with pytest.raises(ModelFailed) as failed:
        await model.ainvoke(asked)
    return failed.value


@pytest.mark.parametrize(
    "words",
    [
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.",
        "prompt is too long: 208310 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length",
        "The input token count (9) exceeds the maximum number of tokens allowed (8).",
        "Request payload size exceeds the limit: 20971520 bytes.",
        "Please reduce the length of the messages or completion.",
        "Input is too long for requested model.",
        "Malformed input request: expected maxLength: 300000, actual: 400000, please reformat your input",
        "Input Tokens Exceeded: Number of input tokens exceeds maximum length.",
        "Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)",
        "Range of input length should be [1, 30720]",
        "Prompt exceeds max length",
        "Prompt 超长",
        "输入超过模型最大长度限制",
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens",
        "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        "the request exceeds the available context size. try increasing the context size",
        "Trying to keep the first 5000 tokens when context the overflows. The model is loaded with context length of 4096",
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
        "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
        "the number of input tokens 9000 cannot exceed the total tokens limit 8192 for this model",
        "length of prompt_tokens (9000) must be less than max_seq_len (8192).",
        "Total tokens of image and text exceed max message tokens",
        "context window exceeds limit (2013)",
        "too many tokens: size limit exceeded by 1234 tokens.",
        "The provided prompt is 40000 tokens long; the maximum supported sequence length is just 32768",
        "The prompt is too long: 9000, model maximum context length: 8191",
        "prompt too long; exceeded max context length by 123 tokens",
    ],
)
@pytest.mark.parametrize("status", [400, 422])
def test_too_long_is_understood_in_the_words_of_every_provider(words: str, status: int) -> None:
    assert classify(Refused(status, words)).code == "llm_context_too_long"
    assert classify(ValueError(words)).code == "llm_context_too_long"


@pytest.mark.parametrize(
    ("status", "words", "code"),
    [
        (400, "Unknown parameter: 'safety_identifier'.", "llm_bad_request"),
        (400, "Unknown parameter: 'context_length'.", "llm_bad_request"),
        (400, "Unknown field 'billing_reference'.", "llm_bad_request"),
        (400, "Your billing is not active.", "llm_rate_limited"),
        (400, "messages.0.content.1: image exceeds 5 MB maximum", "llm_bad_request"),
        (400, "tools.0.name: string does not match", "llm_bad_request"),
        (400, "{'error': {'code': 'safety_violation', 'message': 'no'}}", "llm_content_filter"),
        (400, "{'error': {'code': 'moderation_blocked'}}", "llm_content_filter"),
        (429, "Request too large: tokens per minute (TPM): Limit 6000, Requested 9000", "llm_rate_limited"),
        (400, "Rate limit: too many tokens per minute", "llm_bad_request"),
    ],
)
def test_like_words_of_other_refusals_are_told_apart(status: int, words: str, code: str) -> None:
    assert classify(Refused(status, words)).code == code


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "in 5:00 minutes"}, None),
        ({"retry_after": "nan"}, None),
        ({"retry_after": "inf"}, None),
        ({"retry_after": ""}, None),
        ({"retry_after": "Mon, 99 Foo 2026 25:61:00 GMT"}, None),
        ({"retry_after": "99999999999999999999999999:00"}, None),
        ({"retry_after": "1e400"}, None),
        ({"retry_after_ms": "2500"}, 2.5),
        ({"retry_after_ms": "soon", "retry_after": "3"}, 3.0),
        ({"retry_after": "7, 9"}, None),
    ],
)
def test_an_odd_wish_to_wait_is_passed_over(headers: dict[str, str], seconds: float | None) -> None:
    failure = classify(Refused(429, "slow down", **headers))
    assert (failure.code, failure.retryable, failure.retry_after) == ("llm_rate_limited", True, seconds)


def test_a_date_to_come_is_waited_for() -> None:
    wait = classify(Refused(503, "busy", retry_after=formatdate(time.time() + 20, usegmt=True))).retry_after
    assert wait is not None
    assert 15 < wait <= 20


class Unreadable(Exception):
    @property
    def status_code(self) -> int:
        raise RuntimeError("no response was read")


def test_an_error_that_cannot_be_read_is_one_of_ours() -> None:
    assert classify(Unreadable()).code == "internal"


@pytest.mark.parametrize(
    ("error", "code", "tries"),
    [
        ({"message": "Provider returned error", "code": 502}, "", 2),
        ({"message": "Rate limit exceeded", "code": 429}, "", 2),
        ({"message": "Provider returned error", "code": "503"}, "", 2),
        ({"message": "no", "status": 401}, "llm_auth", 1),
        ({"message": "no", "code": 402}, "llm_rate_limited", 1),
        ({"error": {"message": "inner", "status_code": 500}}, "", 2),
        ({"message": "no", "code": 400}, "llm_bad_request", 1),
    ],
)
async def test_a_number_in_an_error_inside_a_stream_is_a_status(error: Any, code: str, tries: int) -> None:
    async with raw_server([events({"error": error}), say("Fine.")]) as server:
        if code:
            assert (await failure(chat(server))).code == code
        else:
            assert (await chat(server).ainvoke("hi")).text == "Fine."
        assert len(server.requests) == tries


@pytest.mark.parametrize(
    "reason",
    [
        "error",
        "abort",
        "cancelled",
        "network_error",
        "insufficient_system_resource",
        "server_error",
        "timeout",
    ],
)
async def test_an_answer_that_the_server_did_not_finish_is_cut(reason: str) -> None:
    async with raw_server([events(delta("Half an "), delta("answer", reason))]) as server:
        failed = await failure(chat(server))
        assert (failed.code, failed.has_said, len(server.requests)) == ("llm_stream_cut", True, 1)
    async with raw_server([events(delta("", reason)), say("Fine.")]) as server:
        assert (await chat(server).ainvoke("hi")).text == "Fine."


@pytest.mark.parametrize("reason", ["sensitive", "content_filter", "guardrail_intervened"])
async def test_an_answer_that_was_filtered_is_told_so(reason: str) -> None:
    async with raw_server([events(delta("Half an "), delta("answer", reason))]) as server:
        assert (await failure(chat(server))).code == "llm_content_filter"


async def test_an_error_names_the_model_and_the_address_of_an_own_server() -> None:
    async with raw_server([json_error(401, '{"error": {"message": "sk-canary is wrong"}}')]) as server:
        failed = await failure(chat(server))
    assert failed.detail.endswith(f" The model is openai:some-model, at {server.url}/v1.")
    assert "canary" not in failed.detail
    assert failed.detail.to("ru").endswith(f"Модель: openai:some-model, адрес: {server.url}/v1.")


TOO_LONG = (
    '{"error": {"code": 400, "message": "the request exceeds the available context size", '
    '"type": "exceed_context_size_error", "n_prompt_tokens": 1234, "n_ctx": 512}}'
)


@pytest.mark.parametrize(
    ("body", "numbers"),
    [
        (TOO_LONG, ("1,234", "512")),
        ('{"error": {"message": "prompt is too long: 208310 tokens > 200000 maximum"}}', ("208,310", "200,000")),
        ('{"error": {"message": "maximum context length is 8192 tokens, you requested 9000 tokens"}}', ("9,000", "8,192")),
        ('{"error": {"message": "Please reduce the length of the messages"}}', None),
    ],
)  # fmt: skip
async def test_both_numbers_of_a_context_are_told(body: str, numbers: tuple[str, str] | None) -> None:
    async with raw_server([json_error(400, body)]) as server:
        first = await failure(chat(server))
        later = await failure(chat(server), [HumanMessage("a"), AIMessage("b"), HumanMessage("c")])
    assert (first.code, later.code) == ("llm_context_too_long", "llm_context_too_long")
    assert ("new session" in first.detail, "new session" in later.detail) == (False, True)
    for said in (first.detail, later.detail):
        if numbers:
            assert f"It has {numbers[0]} tokens, and the model takes {numbers[1]}." in said
        else:
            assert "tokens" not in said


@pytest.mark.parametrize(
    "other",
    [
        Raw(404, "404 page not found", {"content-type": "text/plain"}),
        Raw(200, "<!doctype html><title>Router</title>", {"content-type": "text/html"}),
        json_error(404, '{"error": {"code": 404, "message": "File Not Found", "type": "not_found_error"}}'),
        json_error(400, '{"error": {"code": 400, "message": "Unsupported param: tools", "type": "invalid"}}'),
        Raw(200, 'data: {"choices": [{"delta": {"content": "hi"}}]}\n\n', STREAM),
    ],
)
async def test_a_server_that_is_no_ollama_is_named(other: Raw) -> None:
    async with raw_server([other], "ollama") as server:
        model: Any = build_chat_model("ollama:qwen3", server.settings())
        model._limits = model._limits.__class__(backoff=0.01)
        failed = await failure(model)
    assert f"ollama:qwen3, at {server.url}." in failed.detail
    assert failed.detail.endswith("For another kind set OPENAI_BASE_URL.")


async def test_a_refusal_of_ollama_itself_is_not_blamed_on_its_kind() -> None:
    async with raw_server([json_error(404, '{"error": "model \'qwen3\' not found"}')], "ollama") as server:
        failed = await failure(build_chat_model("ollama:qwen3", server.settings()))
    assert "OPENAI_BASE_URL" not in failed.detail


def redirect(status: int, to: str) -> Raw:
    return Raw(status, b"", {"location": to})


@pytest.mark.parametrize(
    "name", ["openai:m", "anthropic:claude-haiku-4-5", "google:gemini-3.8-flash", "ollama:m"]
)
@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_to_another_origin_gets_no_request(name: str, status: int) -> None:
    async with (
        raw_server([say("Leaked.")]) as other,
        raw_server([redirect(status, f"{other.url}/v1/x")]) as server,
    ):
        failed = await failure(build_chat_model(name, server.settings()))
        assert (failed.code, len(server.requests), other.requests, other.gets) == (
            "llm_bad_request",
            1,
            [],
            [],
        )
    assert "redirects to another" in failed.detail


@pytest.mark.parametrize("status", [307, 308])
async def test_a_redirect_within_the_same_origin_is_followed(status: int) -> None:
    async with raw_server([redirect(status, "/v1/there"), say("Fine.")]) as server:
        assert (await chat(server).ainvoke("hi")).text == "Fine."
        assert server.requests[0] == server.requests[1]


@pytest.mark.parametrize("host", ["169.254.169.254", "100.100.100.200", "[fd00:ec2::254]"])
async def test_metadata_addresses_are_never_asked(host: str) -> None:
    async with raw_server([say("Fine.")]) as server:
        model = build_chat_model("openai:m", server.settings(openai_base_url=f"http://{host}/v1"))
        failed = await failure(model)
    assert "never used" in failed.detail


async def test_endless_redirects_end() -> None:
    async with raw_server([redirect(307, "/v1/there")]) as server:
        assert (await failure(chat(server))).code == "llm_bad_request"
        assert len(server.requests) == 5


class NamesOf:
    """A loop whose names lead to one address."""

    def __init__(self, address: str) -> None:
        self._address = address

    async def getaddrinfo(self, *_: object, **__: object) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (self._address, 443))]


async def test_a_name_that_leads_to_a_metadata_address_is_not_connected_to() -> None:
    fine: Any = NamesOf("10.0.0.7")
    assert (await NoMetadataResolver(fine).resolve("models.lan", 443))[0]["host"] == "10.0.0.7"
    metadata: Any = NamesOf("169.254.169.254")
    with pytest.raises(ForbiddenAddress):
        await NoMetadataResolver(metadata).resolve("models.lan", 443)
