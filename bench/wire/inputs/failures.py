"""W7, W8, W12, A2: errors of providers, before and inside an answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench.wire.asked import AGENTS, Agent, Answer, Input, Right, error_json, event

RATE = frozenset({"llm_rate_limited"})
LONG = frozenset({"llm_context_too_long"})
BAD = frozenset({"llm_bad_request"})


def inputs() -> Iterator[Input]:
    for agent in AGENTS:
        yield from _inside(agent)
        yield from _waiting(agent)
        yield from _too_long(agent)


def _inside(agent: Agent) -> Iterator[Input]:
    overloaded = Answer([event({"error": {"message": "Provider returned error", "code": 502}})])
    yield Input("W7-error-object-before-text", "chat", agent, [overloaded], Right(least=2, most=2))
    limited = Answer([event({"error": {"message": "Rate limit exceeded", "code": 429}})])
    yield Input("W7-error-code-429-inside", "chat", agent, [limited], Right(least=2, most=2))
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
    yield Input(
        "A2-overloaded-after-thinking-only", "anthropic", agent, [Answer(parts)], Right(least=2, most=2)
    )


def _waiting(agent: Agent) -> Iterator[Input]:
    slow = {"type": "rate_limit_error"}
    odd = error_json("slow down", 429, {"retry-after": "in 5:00 minutes"}, **slow)
    yield Input("W8-429-retry-after-odd-date", "chat", agent, [odd], Right(least=2, most=2))
    ms = error_json("slow down", 429, {"retry-after-ms": "2500"}, **slow)
    yield Input("W8-429-retry-after-ms", "chat", agent, [ms], Right(least=2, most=2))
    nan = error_json("slow down", 429, {"retry-after": "nan"}, **slow)
    yield Input("W8-429-retry-after-nan", "chat", agent, [nan], Right(least=2, most=2))


def _too_long(agent: Agent) -> Iterator[Input]:
    words = {
        "groq": (400, "Please reduce the length of the messages or completion. Your request is too large"),
        "qwen": (400, "Range of input length should be [1, 30720]"),
        "together": (422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens"),
        "xai": (400, "This model's maximum prompt length is 131072 but the request contains 140000 tokens."),
        "bedrock": (400, "Input is too long for requested model."),
        "kimi": (400, "Invalid request: Your request exceeded model token limit: 131072"),
        "zhipu": (400, "Prompt exceeds max length"),
    }  # fmt: skip
    for name, (status, message) in words.items():
        yield Input(
            f"W12-context-{name}",
            "chat",
            agent,
            [],
            Right(codes=LONG, most=1),
            rest=error_json(message, status),
        )
    safety = error_json("Unknown parameter: 'safety_identifier'.")
    yield Input("W12-word-safety-in-another-400", "chat", agent, [], Right(codes=BAD, most=2), rest=safety)
