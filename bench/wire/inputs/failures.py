"""W7, W8, W12, A2, R1: errors of providers before and inside an answer, limits, redirects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from bench.wire.asked import (
    AGENTS,
    Agent,
    Answer,
    Dialect,
    Input,
    Right,
    Step,
    chat,
    error_json,
    event,
    good,
    json_answer,
)  # fmt: skip
from bench.wire.inputs.ends import WIRES, answer_deltas, whole_answer
from tests.support.model_reply import Asked

RATE = frozenset({"llm_rate_limited"})
LONG = frozenset({"llm_context_too_long"})
BAD = frozenset({"llm_bad_request"})
AUTH = frozenset({"llm_auth"})
CUT = frozenset({"llm_stream_cut", "llm_unavailable"})
UNAVAILABLE = frozenset({"llm_unavailable"})
AGAIN = Right(least=2, most=2)
"""Tried again, and answered then."""


def inputs() -> Iterator[Input]:
    for agent in AGENTS:
        yield from _inside(agent)
        yield from _inside_other_wires(agent)
        yield from _after_text(agent)
        yield from _waiting(agent)
        yield from _too_long(agent)
        yield from _statuses(agent)
        yield from _redirects(agent)


INSIDE: dict[str, Any] = {
    "error-object-before-text": {"message": "Provider returned error", "code": 502},
    "error-code-429-inside": {"message": "Rate limit exceeded", "code": 429},
    "code-as-text": {"message": "Provider returned error", "code": "503"},
    "status-instead-of-code": {"message": "Upstream error", "status": 500},
    "http-code-field": {
        "message": "Provider returned error",
        "code": 529,
        "metadata": {"provider_name": "x"},
    },
    "words-overloaded": {"message": "The model is overloaded", "type": "overloaded_error"},
    "rate-limit-code": {"message": "slow down", "code": "rate_limit_exceeded", "type": "rate_limit_error"},
    "error-as-text": "server_error: overloaded",
    "timeout-408": {"message": "Request timed out", "code": 408},
}
FINAL: dict[str, tuple[Any, frozenset[str]]] = {
    "code-401-inside": ({"message": "Invalid credentials", "code": 401}, AUTH),
    "code-402-inside": ({"message": "Insufficient credits", "code": 402}, RATE),
    "code-400-inside": ({"message": "Provider returned error", "code": 400}, BAD),
    "code-404-inside": ({"message": "No endpoints found", "code": 404}, BAD),
    "too-long-inside": ({"message": "maximum context length is 4096 tokens", "code": 400}, LONG),
}


def _inside(agent: Agent) -> Iterator[Input]:
    for name, error in INSIDE.items():
        answer = Answer([event({"error": error})])
        for wire in ("chat", "openrouter"):
            yield Input(f"W7-{name}", wire, agent, [answer], AGAIN)  # type: ignore[arg-type]
        as_json = json_answer({"error": error})
        yield Input(f"W7-{name}-in-json", "chat", agent, [as_json], AGAIN)
    for name, (error, codes) in FINAL.items():
        answer = Answer([event({"error": error})])
        yield Input(f"W7-{name}", "chat", agent, [], Right(codes=codes, most=1), rest=answer)
    with_choices = event({"id": "g", "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}],
                          "error": {"code": 502, "message": "Provider disconnected"}})  # fmt: skip
    yield Input("W7-error-beside-choices", "openrouter", agent, [Answer([with_choices])], AGAIN)
    thinking: list[dict[str, Any]] = [
        {"type": "message_start", "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
            "stop_sequence": None, "usage": {"input_tokens": 25, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "sig+/=="}},
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    ]  # fmt: skip
    parts = [f"event: {each['type']}\n".encode() + event(each) for each in thinking]
    yield Input("A2-overloaded-after-thinking-only", "anthropic", agent, [Answer(parts)], AGAIN)
    thought = Answer(
        [*list(chat({"reasoning_content": "hm"}).parts)[:2], event({"error": {"message": "x", "code": 502}})]
    )
    yield Input("A2-error-after-thinking-only", "chat", agent, [thought], AGAIN)


def _inside_other_wires(agent: Agent) -> Iterator[Input]:
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    named = Answer([b"event: error\n" + event(overloaded)])
    yield Input("W7-overloaded", "anthropic", agent, [named], AGAIN)
    server = {"type": "error", "sequence_number": 1, "code": "server_error", "message": "x", "param": None}
    yield Input("W7-server-error", "responses", agent, [Answer([b"event: error\n" + event(server)])], AGAIN)
    full = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}
    yield Input("W7-overloaded", "google", agent, [Answer([event(full)])], AGAIN)
    line = Answer([b'{"error": "an error was encountered while running the model: CUDA error"}\n'])
    yield Input("W7-error-line", "ollama", agent, [line], AGAIN)


def _after_text(agent: Agent) -> Iterator[Input]:
    """What was shown stays, and the run ends with the error's code."""
    if agent == "operator":
        return
    right = Right(codes=CUT)
    for name, error in (
        ("502", {"message": "x", "code": 502}),
        ("text", "overloaded"),
        ("429", {"message": "x", "code": 429}),
    ):
        head = list(chat(*answer_deltas(agent)).parts)[:3]
        yield Input(f"W7-after-text-{name}", "chat", agent, [Answer([*head, event({"error": error})])], Right(codes=CUT | RATE))  # fmt: skip
    for wire in WIRES:
        parts = list(whole_answer(wire, agent).parts)
        half = Answer(parts[: len(parts) // 2], ends="reset")
        yield Input("W7-reset-after-text", wire, agent, [half], right)


def _waiting(agent: Agent) -> Iterator[Input]:
    slow = {"type": "rate_limit_error"}
    old = format_datetime(datetime.now(UTC) - timedelta(days=1), usegmt=True)
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    headers = {
        "odd-date": {"retry-after": "in 5:00 minutes"}, "ms": {"retry-after-ms": "2500"}, "nan": {"retry-after": "nan"},
        "infinite": {"retry-after": "inf"}, "negative": {"retry-after": "-5"}, "empty": {"retry-after": ""},
        "unit": {"retry-after": "1 s"}, "fraction": {"retry-after": "0.5"}, "clock": {"retry-after": "5:00"},
        "old-date": {"retry-after": old}, "date": {"retry-after": soon}, "hex": {"retry-after": "0x2"},
        "huge": {"retry-after": "1e400"}, "ms-nan": {"retry-after-ms": "nan"}, "ms-words": {"retry-after-ms": "soon"},
        "both": {"retry-after-ms": "400", "retry-after": "3600"}, "half-date": {"retry-after": "Wed, 99 Nov: 25:61"},
        "none": {},
    }  # fmt: skip
    for name, given in headers.items():
        answer = error_json("slow down", 429, given, **slow)
        yield Input(f"W8-429-retry-after-{name}", "chat", agent, [answer], AGAIN)
    for wire in ("openrouter", "responses", "anthropic", "ollama"):
        for name in ("odd-date", "ms", "nan", "empty"):
            answer = error_json("slow down", 429, headers[name], **slow)
            yield Input(f"W8-429-retry-after-{name}", wire, agent, [answer], AGAIN)  # type: ignore[arg-type]
    hour = error_json("slow down", 429, {"retry-after": "3600"}, **slow)
    yield Input(
        "W8-429-retry-after-an-hour", "chat", agent, [], Right(codes=RATE, most=1, within=10), rest=hour
    )
    busy = error_json("loading the model", 503, {"retry-after": "1:30"})
    yield Input("W8-503-retry-after-odd", "chat", agent, [busy], AGAIN)


WORDS: dict[str, tuple[int, str]] = {
    "groq": (400, "Please reduce the length of the messages or completion. Your request is too large"),
    "qwen": (400, "Range of input length should be [1, 30720]"),
    "together": (422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens"),
    "xai": (400, "This model's maximum prompt length is 131072 but the request contains 140000 tokens."),
    "bedrock": (400, "Input is too long for requested model."),
    "kimi": (400, "Invalid request: Your request exceeded model token limit: 131072"),
    "zhipu": (400, "Prompt exceeds max length"),
    "vllm": (400, "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"),
    "vllm-new": (400, "The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller"),
    "sglang": (400, "The input (5000 tokens) is longer than the model's context length (4096 tokens)."),
    "mistral": (400, "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"),
    "lm-studio": (400, "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"),
    "fireworks": (400, "The prompt is too long: 140000, model maximum context length: 131071"),
    "cohere": (400, "too many tokens: size limit exceeded by 2000 tokens. Try using shorter or fewer inputs"),
    "openai": (400, "Your input exceeds the context window of this model. Please adjust your input and try again."),
    "azure": (400, "This model's maximum context length is 16385 tokens. Please reduce the length of the messages."),
    "deepseek": (400, "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens"),
    "cerebras": (400, "Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192"),
    "nvidia": (422, "The total number of input tokens exceeds the max allowed of 4096"),
    "too-large": (413, "Request entity too large"),
}  # fmt: skip
LLAMA = {
    "error": {
        "code": 400,
        "message": "the request exceeds the available context size, try increasing it",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": 5321,
        "n_ctx": 4096,
    }
}


def _too_long(agent: Agent) -> Iterator[Input]:
    long = Right(codes=LONG, most=1)
    for name, (status, message) in WORDS.items():
        yield Input(f"W12-context-{name}", "chat", agent, [], long, rest=error_json(message, status))
    both = Right(codes=LONG, most=1, tells=("5,321", "4,096"))
    yield Input("W12-context-llama", "chat", agent, [], both, rest=json_answer(LLAMA, 400))
    anthropic = {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens > 200000 maximum"}}  # fmt: skip
    yield Input("W12-context-anthropic", "anthropic", agent, [], long, rest=json_answer(anthropic, 400))
    google = {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}  # fmt: skip
    yield Input("W12-context-google", "google", agent, [], long, rest=json_answer(google, 400))
    ollama = {"error": "the input length exceeds the context length"}
    yield Input("W12-context-ollama", "ollama", agent, [], long, rest=json_answer(ollama, 400))
    openai = error_json(
        "Your input exceeds the context window of this model.", code="context_length_exceeded"
    )
    yield Input("W12-context-responses", "responses", agent, [], long, rest=openai)
    other = Right(codes=BAD, most=2)
    for name, message in {
        "word-safety-in-another-400": "Unknown parameter: 'safety_identifier'.",
        "word-length-in-another-400": "Invalid value for 'name': length must be at least 1.",
        "word-billing-in-another-400": "Unknown field 'billing_reference'.",
    }.items():
        yield Input(f"W12-{name}", "chat", agent, [], other, rest=error_json(message))
    for wire in WIRES:
        if wire != "google":
            filtered = error_json("The response was filtered", code="content_filter")
            yield Input("W12-filtered-prompt", wire, agent, [], Right(codes=frozenset({"llm_content_filter"}), most=2), rest=filtered)  # fmt: skip


def _statuses(agent: Agent) -> Iterator[Input]:
    html = b"<html><body><h1>502 Bad Gateway</h1></body></html>"
    for status in (500, 502, 503, 504, 408, 529):
        page = Answer([html], status, kind="text/html")
        yield Input(f"W7-html-{status}", "chat", agent, [page], AGAIN)
    blank = Answer([html], 200, kind="text/html")
    yield Input("W7-html-200", "chat", agent, [blank], Right(least=2, most=3))
    yield Input("W7-empty-200", "chat", agent, [Answer([])], Right(least=2, most=3))
    for status, codes in ((401, AUTH), (403, AUTH), (402, RATE), (404, BAD)):
        yield Input(
            f"W7-status-{status}",
            "chat",
            agent,
            [],
            Right(codes=codes, most=1),
            rest=error_json("no", status),
        )
    stalled = Answer([40.0])
    timeout = Right(codes=frozenset({"llm_timeout"}), most=2, within=40)
    yield Input("W7-silence", "chat", agent, [], timeout, rest=stalled)


def elsewhere(asked: Asked) -> bool:
    return "localhost" in asked.headers.get("host", "")


def _redirects(agent: Agent) -> Iterator[Input]:
    """To another origin never; `localhost` is the same server under another name."""

    def nothing_left(requests: Sequence[Asked]) -> str | None:
        return "the prompt was sent to another origin" if any(map(elsewhere, requests)) else None

    paths: dict[Dialect, str] = {
        "chat": "/v1/chat/completions", "openrouter": "/openrouter/v1/chat/completions", "responses": "/v1/responses",
        "anthropic": "/v1/messages", "ollama": "/api/chat",
    }  # fmt: skip
    for wire, path in paths.items():
        for status in (301, 302, 303, 307, 308):

            def away(asked: Asked, wire: Dialect = wire, status: int = status, path: str = path) -> Answer:
                if elsewhere(asked):
                    then: Step = good(wire, agent)
                    assert callable(then)
                    return then(asked)
                port = asked.headers["host"].rpartition(":")[2]
                return Answer([], status, {"location": f"http://localhost:{port}{path}"}, "text/plain")

            codes = frozenset({"llm_bad_request", "llm_unavailable", "llm_bad_response"})
            right = Right(codes=codes, most=3, requests=nothing_left)
            yield Input(f"R1-to-another-origin-{status}", wire, agent, [], right, rest=away)
