"""P3, P4, P5, G2: parameters that a server does not know, and what must come back to it as it was given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from bench.wire.asked import (
    AGENTS,
    READS,
    Agent,
    Answer,
    Dialect,
    Input,
    Made,
    Right,
    as_bytes,
    call_delta,
    chat,
    error_json,
    function,
    good,
    json_answer,
    tool_messages,
    tool_of,
)  # fmt: skip
from tests.support.model_reply import Asked, Reply, ToolCall

SIGNATURE = {"google": {"thought_signature": "CiQBtest+/signature=="}}
A = Made("read_file", "a.txt")
ONE = [[A]]
Refused = Callable[[Asked], bool]


def inputs() -> Iterator[Input]:
    for agent in AGENTS:
        yield from _refused(agent)
        yield from _other_words(agent)
        yield from _refused_on_other_wires(agent)
        yield from _two_refused(agent)
        yield from _thoughts_back(agent)
        yield from _signatures(agent)
        yield from _of_other_wires(agent)


def answer_to(wire: Dialect, agent: Agent, asked: Asked) -> Answer:
    """A good final answer."""
    step = good(wire, agent)
    assert callable(step)
    return step(asked)


def refuses(
    name: str, wire: Dialect, agent: Agent, refusals: Mapping[str, tuple[Refused, Answer]], **right: Any
) -> Input:
    """A server that refuses every request of a kind. Asked twice, to see that it is remembered."""

    def step(asked: Asked) -> Answer:
        found = (answer for refused, answer in refusals.values() if refused(asked))
        return next(found, None) or answer_to(wire, agent, asked)

    def once(requests: Sequence[Asked]) -> str | None:
        named: set[str] = set()
        for asked in requests:
            sent = [field for field, (refused, _) in refusals.items() if refused(asked)]
            if again := named.intersection(sent):
                return f"sent again: {', '.join(again)}"
            named.update(sent[:1])
        return None

    judged = Right(requests=once, most=2 + len(refusals), least=2, **right)
    return Input(name, wire, agent, [], judged, says=[READS, READS], rest=step)


def has(field: str, asked: Asked) -> bool:
    return field in asked.body


def refused_parameter(field: str, message: str, status: int = 400, **more: Any) -> Answer:
    fields = {"code": "unsupported_parameter", "param": field, **more}
    return error_json(message, status, **fields)


def is_forced(asked: Asked) -> bool:
    return asked.body.get("tool_choice") not in (None, "auto", "none")


def is_object(asked: Asked) -> bool:
    return isinstance(asked.body.get("tool_choice"), dict)


MESSAGES = {
    "max_tokens": "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "parallel_tool_calls": "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
    "stream_options": "Unrecognized request argument supplied: stream_options",
}  # fmt: skip


def _refused(agent: Agent) -> Iterator[Input]:
    for field, message in MESSAGES.items():
        for wire in ("chat", "openrouter"):
            refusal = {field: (partial(has, field), refused_parameter(field, message))}
            yield refuses(f"P3-{field}", wire, agent, refusal)  # type: ignore[arg-type]
    forced = refused_parameter("tool_choice", "Thinking mode does not support this tool_choice")
    yield refuses("P3-tool_choice", "chat", agent, {"tool_choice": (is_forced, forced)})
    supported = error_json(
        "Invalid tool_choice type: 'object'. Supported string values: none, auto, required"
    )
    yield refuses("P3-tool_choice-object", "chat", agent, {"tool_choice": (is_object, supported)})


OTHER_WORDS: dict[str, Callable[[str], Answer]] = {
    "not-permitted": lambda field: json_answer(
        {"detail": [{"type": "extra_forbidden", "loc": ["body", field], "msg": "Extra inputs are not permitted"}]}, 422
    ),
    "unknown-name": lambda field: error_json(f"Unknown name \"{field}\": Cannot find field.", 400),
    "unsupported-property": lambda field: error_json(f"property '{field}' is unsupported", 400),
    "does-not-support": lambda field: error_json(f"this model does not support {field}", 400, param=field),
    "plain-detail": lambda field: json_answer({"detail": f"{field} is not supported"}, 400),
    "plain-message": lambda field: json_answer({"message": f"Unsupported parameter: {field}", "code": 400}, 400),
    "unknown-field": lambda field: json_answer({"error": f"json: unknown field \"{field}\""}, 400),
    "not-allowed-422": lambda field: error_json(f"`{field}` is not allowed", 422),
}  # fmt: skip


def _other_words(agent: Agent) -> Iterator[Input]:
    for name, refusal in OTHER_WORDS.items():
        for field in MESSAGES:
            answer = {field: (partial(has, field), refusal(field))}
            yield refuses(f"P3-{name}-{field}", "chat", agent, answer)


def _refused_on_other_wires(agent: Agent) -> Iterator[Input]:
    for field in ("parallel_tool_calls", "max_output_tokens"):
        answer = refused_parameter(
            field, f"Unsupported parameter: '{field}' is not supported with this model."
        )
        yield refuses(f"P3-{field}", "responses", agent, {field: (partial(has, field), answer)})
    forced = {"type": "error", "error": {"type": "invalid_request_error", "message": "tool_choice: forced tool use is not supported by this model"}}  # fmt: skip
    yield refuses(
        "P3-tool_choice", "anthropic", agent, {"tool_choice": (_is_forced_there, json_answer(forced, 400))}
    )
    thinks = {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "Thinking is not enabled for this model. Unknown field thinkingConfig"}}  # fmt: skip
    yield refuses(
        "P3-thinkingConfig", "google", agent, {"thinkingConfig": (_thinks, json_answer(thinks, 400))}
    )


def _is_forced_there(asked: Asked) -> bool:
    return (asked.body.get("tool_choice") or {}).get("type") in ("any", "tool")


def _thinks(asked: Asked) -> bool:
    return "thinkingConfig" in (asked.body.get("generationConfig") or {})


def _two_refused(agent: Agent) -> Iterator[Input]:
    some = {
        field: (partial(has, field), refused_parameter(field, message)) for field, message in MESSAGES.items()
    }
    yield refuses("P3-three-parameters", "chat", agent, some)
    swapped = {
        "max_tokens": (partial(has, "max_tokens"), refused_parameter("max_tokens", MESSAGES["max_tokens"])),
        "max_completion_tokens": (
            partial(has, "max_completion_tokens"),
            refused_parameter("max_completion_tokens", "Unsupported parameter: 'max_completion_tokens'"),
        ),
    }
    yield refuses("P3-no-limit-of-either-name", "chat", agent, swapped)


THOUGHT = "I read it \ue000 first.\n"


def _thoughts_back(agent: Agent) -> Iterator[Input]:
    """Reasoning of the messages with calls must come back, also in later turns."""
    made = tool_of(agent)
    call = call_delta(function(made.name, made.json, index=0, id="call_1", type="function"))
    first = chat({"reasoning_content": THOUGHT}, call, finish="tool_calls")

    def strict(asked: Asked) -> Answer:
        if any(message.get("reasoning_content") != THOUGHT for message in tool_messages(asked)):
            return error_json("Missing `reasoning_content` field in the assistant message")
        return answer_to("chat", agent, asked)

    def forbids(asked: Asked) -> Answer:
        plain = (m for m in asked.messages if m.get("role") == "assistant" and not m.get("tool_calls"))
        if any("reasoning_content" in message for message in plain):
            return error_json("reasoning_content is only allowed in messages with tool calls")
        return answer_to("chat", agent, asked)

    for name, rest in {"strict": strict, "forbids": forbids}.items():
        yield Input(
            f"P4-{name}-one-turn", "chat", agent, [first], Right(calls=ONE, most=2), [READS], True, rest
        )
        yield Input(f"P4-{name}-next-turn", "chat", agent, [first], Right(most=3), [READS, READS], True, rest)
        three = [READS, READS, READS]
        yield Input(f"P4-{name}-third-turn", "chat", agent, [first], Right(most=4), three, True, rest)
    details = [
        {
            "type": "reasoning.text",
            "text": "I read it first.",
            "signature": "sig+/==",
            "index": 0,
            "format": "x",
        },
        {"type": "reasoning.encrypted", "data": "b3BhcXVl+/==", "id": "r1", "index": 1},
    ]
    opened = chat({"reasoning_details": details}, call, finish="tool_calls")

    def with_details(asked: Asked) -> Answer:
        if any(message.get("reasoning_details") != details for message in tool_messages(asked)):
            return error_json("reasoning_details must be passed back unmodified")
        return answer_to("openrouter", agent, asked)

    yield Input("P4-details-one-turn", "openrouter", agent, [opened], Right(calls=ONE, most=2), [READS], True, with_details)  # fmt: skip
    yield Input("P4-details-next-turn", "openrouter", agent, [opened], Right(most=3), [READS, READS], True, with_details)  # fmt: skip


OPAQUE: dict[str, dict[str, Any]] = {
    "extra-content": {"extra_content": SIGNATURE},
    "unknown-field": {"provider_state": {"b": [1, 2.5, None], "a": "x+/=="}},
    "flat-signature": {"thought_signature": "CiQB+/=="},
}


def _signatures(agent: Agent) -> Iterator[Input]:
    made = tool_of(agent)
    for name, fields in OPAQUE.items():
        call = function(made.name, made.json, index=0, id="call_1", type="function", **fields)
        answer = chat(call_delta(call), finish="tool_calls")

        def strict(asked: Asked, fields: Mapping[str, Any] = fields) -> Answer:
            sent = [call for message in tool_messages(asked) for call in message["tool_calls"]]
            if any(call.get(key) != value for call in sent for key, value in fields.items()):
                return error_json("Function call is missing a thought_signature in functionCall parts.")
            return answer_to("chat", agent, asked)

        for wire in ("chat", "openrouter"):
            right = Right(calls=ONE, most=2)
            yield Input(f"P5-{name}-one-turn", wire, agent, [answer], right, [READS], True, strict)  # type: ignore[arg-type]
        yield Input(
            f"P5-{name}-next-turn", "chat", agent, [answer], Right(most=4), [READS, READS], True, strict
        )
    yield from _signatures_of_two(agent)


def _signatures_of_two(agent: Agent) -> Iterator[Input]:
    """Only the first of two calls has one, in pieces that come later."""
    made, other = tool_of(agent), tool_of(agent, "b.txt")
    deltas = [
        call_delta(
            function(made.name, made.json[:9], index=0, id="call_1", type="function", extra_content=SIGNATURE)
        ),
        call_delta(function(None, made.json[9:], index=0)),
        call_delta(function(other.name, other.json, index=1, id="call_2", type="function")),
    ]

    def strict(asked: Asked) -> Answer:
        for message in tool_messages(asked):
            first, *more = message["tool_calls"]
            if first.get("extra_content") != SIGNATURE or any("extra_content" in call for call in more):
                return error_json("Function call is missing a thought_signature in functionCall parts.")
        return answer_to("chat", agent, asked)

    made_calls = [[A, Made("read_file", "b.txt")]] if agent == "assistant" else ONE
    answer = chat(*deltas, finish="tool_calls")
    yield Input("P5-first-of-two-calls", "chat", agent, [answer], Right(calls=made_calls, most=2), [READS], True, strict)  # fmt: skip


def _of_other_wires(agent: Agent) -> Iterator[Input]:
    """Signed thoughts of Anthropic and Gemini's signatures, in the same turn."""
    made = tool_of(agent)
    call = [ToolCall(made.name, made.args, "call_1")]
    thinks = as_bytes("anthropic", Reply(thinking=["I read ", "it."], calls=call))

    def signed(asked: Asked) -> Answer:
        blocks = [b for m in asked.messages if isinstance(m.get("content"), list) for b in m["content"]]
        if any(b.get("type") == "tool_use" for b in blocks):
            kept = [b for b in blocks if b.get("type") == "thinking"]
            if [(b["thinking"], b["signature"]) for b in kept] != [("I read it.", "c2lnbmVk")]:
                return error_json("Expected `thinking`, but found `tool_use`.")
        return answer_to("anthropic", agent, asked)

    yield Input("P4-signed-thoughts-one-turn", "anthropic", agent, [thinks], Right(calls=ONE, most=2), [READS], True, signed)  # fmt: skip
    if agent == "assistant":
        one = as_bytes("google", Reply(calls=call))

        def strict(asked: Asked) -> Answer:
            parts = [part for content in asked.messages for part in content.get("parts") or ()]
            made = [part for part in parts if "functionCall" in part]
            if any(not (part.get("thoughtSignature") or part.get("thought_signature")) for part in made):
                return json_answer({"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "Function call is missing a thought_signature"}}, 400)  # fmt: skip
            return answer_to("google", agent, asked)

        yield Input(
            "G2-signature-one-turn", "google", agent, [one], Right(calls=ONE, most=2), [READS], True, strict
        )
        yield Input(
            "G2-signature-next-turn", "google", agent, [one], Right(most=3), [READS, READS], True, strict
        )
