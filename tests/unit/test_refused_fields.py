"""A field that a model server does not take is left out or replaced once, over the real SDKs, and remembered."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool

from server.agent.models.answer import PROVIDER_PARTS
from server.agent.models.chat_model import build_chat_model
from server.errors import RunFailed
from tests.support.model_reply import Wire, say
from tests.support.raw_model import Raw, RawServer, json_error, raw_server

NAMES: dict[Wire, tuple[str, dict[str, str]]] = {
    "chat": ("openai:some-model", {}),
    "responses": ("openai:gpt-6-luna", {"openai_api": "responses"}),
    "anthropic": ("anthropic:claude-haiku-4-5", {}),
    "google": ("google:gemini-3.8-flash", {}),
    "ollama": ("ollama:qwen3", {}),
}


@tool
def click(target: str) -> str:
    """Click a thing."""
    return target


def model_of(server: RawServer, wire: Wire = "chat") -> Any:
    name, more = NAMES[wire]
    return build_chat_model(name, server.settings(**more))


def said(message: str, param: str | None = None) -> Raw:
    return json_error(
        400, json.dumps({"error": {"message": message, "type": "invalid_request_error", "param": param}})
    )


FASTAPI = '{"detail": [{"type": "extra_forbidden", "loc": ["body", "%s"], "msg": "Extra inputs are not permitted"}]}'
MISTRAL = '{"object": "error", "message": {"detail": [{"type": "extra_forbidden", "loc": ["body", "%s"], "msg": "no"}]}}'


@pytest.mark.parametrize(
    ("refusal", "field", "instead"),
    [
        (said("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens"), "max_tokens", {"max_completion_tokens": 8192}),
        (said("Unsupported parameter: 'parallel_tool_calls' is not supported with this model.", "parallel_tool_calls"), "parallel_tool_calls", {}),
        (said("Unrecognized request argument supplied: stream_options"), "stream_options", {}),
        (said("json: unknown field \"parallel_tool_calls\""), "parallel_tool_calls", {}),
        (json_error(422, "Failed to deserialize the JSON body into the target type: unknown field `stream_options`, expected one of `model`"), "stream_options", {}),
        (json_error(422, FASTAPI % "parallel_tool_calls"), "parallel_tool_calls", {}),
        (json_error(422, FASTAPI % "max_tokens"), "max_tokens", {"max_completion_tokens": 8192}),
        (json_error(422, MISTRAL % "stream_options"), "stream_options", {}),
        (said("max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.", "max_tokens"), "", {"max_tokens": 4096}),
        (said("Invalid max_tokens value, the valid range of max_tokens is [1, 2048]"), "", {"max_tokens": 2048}),
        (said("'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 4096 tokens and your request has 500 input tokens (8192 > 4096 - 500)."), "max_tokens", {}),
        (said("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (808 in the messages, 8192 in the completion)."), "max_tokens", {}),
        (said("Thinking mode does not support this tool_choice", "tool_choice"), "", {"tool_choice": "auto"}),
        (said("The tool_choice parameter does not support being set to required or object in thinking mode"), "", {"tool_choice": "auto"}),
        (said("tool_choice: forced tool use is not supported by this model"), "", {"tool_choice": "auto"}),
        (said("Invalid tool_choice type: 'object'. Supported string values: none, auto, required"), "", {"tool_choice": "required"}),
        (json_error(404, '{"error": {"message": "No endpoints found that support the provided \'tool_choice\' value", "code": 404}}'), "", {"tool_choice": "required"}),
        (json_error(500, '{"error": {"code": 500, "message": "tool_choice is not supported by this template"}}'), "", {"tool_choice": "required"}),
    ],
)  # fmt: skip
async def test_it_is_asked_again_at_once_and_remembered(
    refusal: Raw, field: str, instead: dict[str, Any]
) -> None:
    async with raw_server([refusal, say("Fine.")]) as server:
        model = model_of(server)
        bound = model.bind_tools([click], tool_choice="click")
        assert [(await bound.ainvoke("hi")).text for _ in range(2)] == ["Fine.", "Fine."]
        first, again, later = server.requests
    assert again == later
    assert field not in again
    assert instead.items() <= again.items()
    changed = {field, *instead} - {""}
    assert {k: v for k, v in again.items() if k not in changed} == {
        k: v for k, v in first.items() if k not in changed
    }


async def test_a_tool_is_forced_as_far_as_the_server_lets_it() -> None:
    def answer(body: dict[str, Any]) -> Any:
        return (
            said("Invalid value for tool_choice", "tool_choice") if body.get("tool_choice") else say("Fine.")
        )

    async with raw_server(answer) as server:
        model = model_of(server)
        assert model.refused.tool_choice == "named"
        await model.bind_tools([click], tool_choice="click").ainvoke("hi")
        choices = [request.get("tool_choice") for request in server.requests]
        assert model.refused.tool_choice == "none"
    assert choices == [{"type": "function", "function": {"name": "click"}}, "required", "auto", None]


@pytest.mark.parametrize(
    ("wire", "refusal", "before", "after"),
    [
        ("responses", said("Unsupported parameter: 'parallel_tool_calls'", "parallel_tool_calls"), {"parallel_tool_calls": False}, {}),
        ("responses", said("tool_choice is not supported", "tool_choice"), {"tool_choice": {"type": "function", "name": "click"}}, {"tool_choice": "required"}),
        ("anthropic", json_error(400, '{"type": "error", "error": {"type": "invalid_request_error", "message": "tool_choice.type: `tool` is not supported"}}'),
         {"tool_choice": {"type": "tool", "name": "click", "disable_parallel_tool_use": True}}, {"tool_choice": {"type": "any", "disable_parallel_tool_use": True}}),
        ("anthropic", json_error(400, '{"type": "error", "error": {"type": "invalid_request_error", "message": "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens"}}'),
         {"max_tokens": 8192}, {"max_tokens": 4096}),
        ("google", json_error(400, '{"error": {"code": 400, "message": "Invalid JSON payload received. Unknown name \\"thinkingConfig\\" at \'generation_config\': Cannot find field.", "status": "INVALID_ARGUMENT"}}'),
         None, None),
        ("ollama", json_error(400, '{"error": "json: unknown field \\"options\\""}'), {"options": {"num_ctx": 16384, "num_predict": 8192}}, {}),
    ],
)  # fmt: skip
async def test_every_wire_does_without(wire: Wire, refusal: Raw, before: Any, after: Any) -> None:
    async with raw_server([refusal, say("Fine.")], wire) as server:
        bound = model_of(server, wire).bind_tools([click], tool_choice="click")
        assert (await bound.ainvoke("hi")).text == "Fine."
        first, again = server.requests
    if wire == "google":
        assert ("thinkingConfig" in str(first), "thinkingConfig" in str(again)) == (True, False)
        return
    changed = before.keys() | after.keys()
    assert {key: first[key] for key in changed if key in first} == before
    assert {key: again[key] for key in changed if key in again} == after


async def test_a_field_of_earlier_messages_is_left_out() -> None:
    call = {"name": "click", "args": {"target": "a"}, "id": "call_1", "type": "tool_call"}
    parts = {"model": "openai-chat:some-model", "message": {"reasoning_content": "Hm."}}
    asked: list[BaseMessage] = [
        HumanMessage("Click a."),
        AIMessage("", tool_calls=[call], additional_kwargs={PROVIDER_PARTS: parts}),
        ToolMessage("ok", tool_call_id="call_1"),
    ]
    refusal = said("'messages.1' : property 'reasoning_content' is unsupported")
    async with raw_server([refusal, say("Fine.")]) as server:
        assert (await model_of(server).ainvoke(asked)).text == "Fine."
        first, again = server.requests
    assert [("reasoning_content" in str(body)) for body in (first, again)] == [True, False]


@pytest.mark.parametrize(
    ("refusal", "code"),
    [
        (said("Unknown parameter: 'safety_identifier'."), "llm_bad_request"),
        (said("Unknown parameter: 'context_length'."), "llm_bad_request"),
        (said("The model does not support tools"), "llm_bad_request"),
        (said("response_format is not supported", "response_format"), "llm_bad_request"),
        (said("This model's maximum context length is 8192 tokens. However, you requested 17000 tokens (8808 in the messages, 8192 in the completion)."), "llm_context_too_long"),
    ],
)  # fmt: skip
async def test_what_was_not_sent_or_is_needed_is_a_refusal(refusal: Raw, code: str) -> None:
    async with raw_server([refusal]) as server:
        with pytest.raises(RunFailed) as failed:
            await model_of(server).bind_tools([click]).ainvoke("hi")
        assert (failed.value.code, len(server.requests)) == (code, 1)
