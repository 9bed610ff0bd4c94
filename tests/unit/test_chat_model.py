"""Models are found by name, report what they lack, and stream the same over every provider's format."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool

from server.agent.model_menu import ModelMenu
from server.agent.models.chat_model import (
    broken_tool_calls,
    build_chat_model,
    forces_tools,
    is_cut,
    is_ready,
    model_choices,
    takes_images,
    usage_cost,
)
from server.errors import BadRequest, ModelNotConfigured, RunFailed
from server.settings import Settings
from tests.support.model_reply import (
    Reply,
    ToolCall,
    break_off,
    call,
    calls,
    cut,
    endless,
    fail,
    garbage,
    hang,
    refuse,
    reset,
    say,
    sliced,
    stall,
    think,
    unknown,
)
from tests.support.model_server import KEY, ModelServer
from wording.catalogue import sentence

WIRES = {
    "anthropic": ("anthropic:claude-haiku-5-5", {}),
    "chat": ("openai:some-model", {}),
    "responses": ("openai:gpt-6-luna", {"openai_api": "responses"}),
    "google": ("google:gemini-3.8-flash", {}),
    "ollama": ("ollama:qwen3", {}),
}
every_wire = pytest.mark.parametrize("wire", WIRES)
wires_with_a_key = pytest.mark.parametrize("wire", [wire for wire in WIRES if wire != "ollama"])
wires_that_stream_arguments = pytest.mark.parametrize("wire", ["anthropic", "chat", "responses"])


@tool
def click(target: str) -> str:
    """Click a thing."""
    return target


def settings(**more: Any) -> Settings:
    return Settings(_env_file=None, **more)  # type: ignore[call-arg]


def model_for(server: ModelServer, wire: str, **more: Any) -> BaseChatModel:
    name, options = WIRES[wire]
    return build_chat_model(name, server.settings(**options, **more))


def limited(model: Any, **limits: float) -> Any:
    model._limits = replace(model._limits, **limits)
    return model


def impatient(model: Any) -> Any:
    """With next to no pause between tries."""
    return limited(model, backoff=0.01)


async def answer(model: Any, question: Any = "hi") -> AIMessageChunk:
    whole = None
    async for chunk in model.astream(question):
        whole = chunk if whole is None else whole + chunk
    assert isinstance(whole, AIMessageChunk)
    return whole


async def listen(model: Any, said: list[str]) -> None:
    async for chunk in model.astream("hi"):
        said.append(chunk.text)


async def failure(model: Any) -> RunFailed:
    with pytest.raises(RunFailed) as failed:
        await answer(model)
    assert KEY not in str(failed.value)
    return failed.value


# Names, keys, what is on offer


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("anthropic:claude-haiku-5-5", "ANTHROPIC_API_KEY"),
        ("claude-haiku-5-5", "ANTHROPIC_API_KEY"),
        ("openai:gpt-6-luna", "OPENAI_API_KEY"),
        ("openrouter:openai/gpt-6-luna:free", "OPENROUTER_API_KEY"),
        ("google:gemini-2.5-flash", "GOOGLE_API_KEY"),
    ],
)
def test_a_missing_key_is_named(name: str, variable: str) -> None:
    with pytest.raises(ModelNotConfigured, match=variable):
        build_chat_model(name, settings())
    assert not is_ready(name, settings())


@pytest.mark.parametrize("name", ["", "nobody:x", "unread-of", "anthropic:"])
def test_an_unknown_name_says_what_names_look_like(name: str) -> None:
    with pytest.raises(ModelNotConfigured, match="anthropic:"):
        build_chat_model(name, settings(anthropic_api_key="k"))


def test_every_provider_builds_with_its_key() -> None:
    keys = settings(anthropic_api_key="k", openai_api_key="k", openrouter_api_key="k", google_api_key="k")
    for name in (
        "anthropic:claude-haiku-4-5",
        "openai:gpt-5",
        "openrouter:a/b",
        "google:gemini-2.5-flash",
        "ollama:x",
    ):
        assert isinstance(build_chat_model(name, keys), BaseChatModel)


def test_a_server_of_ones_own_needs_no_key() -> None:
    own = settings(openai_base_url="http://127.0.0.1:9/v1")
    assert isinstance(build_chat_model("openai:qwen", own), BaseChatModel)


def test_openai_itself_gets_the_responses_api_and_others_chat_completions() -> None:
    def uses_responses(**more: Any) -> bool:
        model: Any = build_chat_model("openai:gpt-6-luna", settings(openai_api_key="k", **more))
        return bool(model.use_responses_api)

    assert uses_responses()
    assert uses_responses(openai_base_url="https://eu.api.openai.com/v1")
    assert not uses_responses(openai_base_url="http://127.0.0.1:9/v1")
    assert not uses_responses(openai_base_url="https://notopenai.com/v1")
    assert uses_responses(openai_base_url="http://127.0.0.1:9/v1", openai_api="responses")
    assert not uses_responses(openai_api="chat")


def test_models_are_shared_between_runs() -> None:
    keyed = settings(anthropic_api_key="k")
    name = "anthropic:claude-haiku-5-5"
    assert build_chat_model(name, keyed) is build_chat_model(name, keyed)
    assert build_chat_model(name, settings(anthropic_api_key="k", model_max_tokens=5)).max_tokens == 5  # type: ignore[attr-defined]


def test_the_choices_lead_with_the_configured_model() -> None:
    choices = model_choices(settings(agent_model="openai:my-model", openai_api_key="k"))
    assert (choices[0].id, choices[0].ready, choices[0].context) == ("openai:my-model", True, None)
    haiku = next(c for c in choices if c.id == "anthropic:claude-haiku-5-5")
    assert (haiku.ready, haiku.missing, haiku.vision) == (False, "ANTHROPIC_API_KEY", True)
    assert len({c.id for c in choices}) == len(choices)


def test_a_menu_has_the_demo_model_as_its_last_only_if_it_is_given_one() -> None:
    current = settings(agent_model="openai:my-model")
    menu, bare = ModelMenu(lambda: current, "Demo"), ModelMenu(lambda: current)
    assert (menu.offered()[-1].id, menu.offered()[-1].ready) == ("demo", True)
    assert bare.offered() == menu.offered()[:-1]
    assert (menu.default, bare.default) == ("demo", "openai:my-model")
    assert "my-model" in str(menu.why_not_configured)
    assert bare.why_not_configured == sentence("keys.none", provider="openai:my-model")
    menu.check("demo", "model")
    with pytest.raises(BadRequest):
        bare.check("demo", "model")


def test_openais_models_are_not_offered_on_another_server() -> None:
    choices = model_choices(settings(agent_model="openai:qwen", openai_base_url="http://127.0.0.1:9/v1"))
    assert [c.id for c in choices if c.provider == "openai"] == ["openai:qwen"]


def test_pictures_are_for_models_that_take_them() -> None:
    keys = settings(anthropic_api_key="k", openai_base_url="http://127.0.0.1:9/v1")
    assert takes_images(build_chat_model("anthropic:claude-haiku-5-5", keys))
    assert not takes_images(build_chat_model("openai:unread-of", keys))


def test_thinking_models_are_not_forced_to_call_tools() -> None:
    keys = settings(anthropic_api_key="k", openai_api_key="k")
    assert not forces_tools(build_chat_model("anthropic:claude-haiku-5-5", keys))
    assert forces_tools(build_chat_model("anthropic:claude-haiku-4-5", keys))
    assert forces_tools(build_chat_model("openai:gpt-6-luna", keys))


def test_cost_counts_cached_and_long_prompts_by_their_own_price() -> None:
    name = "anthropic:claude-haiku-5-5"
    assert usage_cost(name, {"input_tokens": 1000, "output_tokens": 1000}) == pytest.approx(0.0006)
    cached = {"input_tokens": 1000, "output_tokens": 0, "input_token_details": {"cache_read": 1000}}
    assert usage_cost(name, cached) == pytest.approx(0.00001)
    assert usage_cost(name, {"input_tokens": 200_000, "output_tokens": 0}) == pytest.approx(0.1)
    assert usage_cost("openai:unread-of", {"input_tokens": 1}) is None


# The same behaviour on every wire


@every_wire
async def test_text_thinking_usage_and_calls_come_through(wire: str) -> None:
    reply = think("I think so.", "Hello wörld 😀!", usage=(120, 30), cached=20)
    async with ModelServer(reply) as server:
        message = await answer(model_for(server, wire))
    assert message.text == "Hello wörld 😀!"
    assert [b["reasoning"] for b in message.content_blocks if b["type"] == "reasoning"] == ["I think so."]
    assert message.usage_metadata is not None
    assert (message.usage_metadata["input_tokens"], message.usage_metadata["output_tokens"]) == (120, 30)
    if wire != "ollama":
        assert message.usage_metadata["input_token_details"]["cache_read"] == 20


@every_wire
async def test_text_arrives_before_the_end(wire: str) -> None:
    async with ModelServer(stall(" ".join(["one"] * 9), after=6)) as server:
        said: list[str] = []
        with pytest.raises(RunFailed):
            await listen(model_for(server, wire, model_idle_timeout=0.3), said)
    assert "".join(said).startswith("one")


@every_wire
async def test_a_tool_is_called_with_its_arguments_one_at_a_time(wire: str) -> None:
    async with ModelServer(call("click", {"target": "the größte button"}, text="Clicking.")) as server:
        message = await answer(model_for(server, wire).bind_tools([click]))
        body = server.requests[0].body
    assert [c["args"] for c in message.tool_calls] == [{"target": "the größte button"}]
    if wire == "anthropic":
        assert body["tool_choice"]["disable_parallel_tool_use"]
    elif wire in ("chat", "responses"):
        assert body["parallel_tool_calls"] is False
    assert broken_tool_calls(AIMessage(message.content, response_metadata=message.response_metadata)) == {}


async def test_the_same_tools_are_bound_once_and_others_anew() -> None:
    async with ModelServer([]) as server:
        model = model_for(server, "chat")
        bound = model.bind_tools([click])
        assert model.bind_tools([click]) is bound
        assert model.bind_tools([click], tool_choice="click") is not bound
        assert model.bind_tools([click, click]) is not bound


@every_wire
async def test_a_turn_with_tools_is_accepted_by_the_providers_rules(wire: str) -> None:
    script = [think("Hm.", calls=(ToolCall("click", {"target": "a"}, "call_1"),)), say("Done.")]
    picture = {"type": "image", "base64": "iVBORw0KGgo=", "mime_type": "image/png"}
    async with ModelServer(script) as server:
        model = model_for(server, wire).bind_tools([click])
        first = await model.ainvoke([SystemMessage("Be brief."), HumanMessage("Click a.")])
        result = ToolMessage(
            [{"type": "text", "text": "clicked"}, picture], tool_call_id=first.tool_calls[0]["id"]
        )
        second = await model.ainvoke([SystemMessage("Be brief."), HumanMessage("Click a."), first, result])
        assert (second.text, server.refusals) == ("Done.", [])
        assert server.requests[1].pictures == (0 if wire == "chat" else 1)


async def test_thinking_of_this_turn_goes_back_to_compatible_servers() -> None:
    script = [think("Hm.", calls=(ToolCall("click", {"target": "a"}, "call_1"),)), say("Done.")]
    async with ModelServer(script) as server:
        model = model_for(server, "chat").bind_tools([click])
        first = await model.ainvoke("Click a.")
        await model.ainvoke([HumanMessage("Click a."), first, ToolMessage("ok", tool_call_id="call_1")])
        assert server.requests[1].messages[1]["reasoning_content"] == "Hm."


@every_wire
async def test_letters_cut_between_packets_are_whole_again(wire: str) -> None:
    async with ModelServer(sliced("Grüße, мир 😀!")) as server:
        assert (await answer(model_for(server, wire))).text == "Grüße, мир 😀!"


@every_wire
async def test_other_line_ends_change_nothing(wire: str) -> None:
    async with ModelServer(say("Hello there!", newline="\r\n")) as server:
        assert (await answer(model_for(server, wire))).text == "Hello there!"


@every_wire
@pytest.mark.parametrize(
    "trouble", [fail(429, retry_after=0.01), fail(500), fail(503, retry_after=0), refuse()]
)
async def test_a_passing_trouble_is_tried_again_before_the_first_token(wire: str, trouble: Reply) -> None:
    async with ModelServer([trouble, say("Fine.")]) as server:
        model = impatient(model_for(server, wire))
        assert (await answer(model)).text == "Fine."
        assert len(server.requests) == 2


@every_wire
async def test_after_three_tries_it_is_told(wire: str) -> None:
    async with ModelServer(fail(503, retry_after=0)) as server:
        assert (await failure(model_for(server, wire))).code == "llm_unavailable"
        assert len(server.requests) == 3


@wires_with_a_key
async def test_a_long_wait_is_left_to_the_person(wire: str) -> None:
    async with ModelServer(fail(429, retry_after=31)) as server:
        failed = await failure(model_for(server, wire))
        assert (failed.code, failed.retry_after, len(server.requests)) == ("llm_rate_limited", 31, 1)


@every_wire
@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (fail(401), "llm_auth"),
        (fail(403), "llm_auth"),
        (fail(400, "prompt is too long: 9 tokens > 8 maximum"), "llm_context_too_long"),
        (fail(404, "no such model"), "llm_bad_request"),
        (say("no", stop="content_filter"), "llm_content_filter"),
        (call("click", '{"target": "the', stop="length"), "output_limit"),
        (cut(" ".join(["word"] * 9), after=7), "llm_stream_cut"),
        (reset("word " * 50, after=2400), "llm_stream_cut"),
        (garbage(" ".join(["word"] * 9), after=6), "llm_bad_response"),
    ],
)
async def test_what_a_retry_cannot_mend_fails_at_once(wire: str, reply: Reply, code: str) -> None:
    async with ModelServer(reply) as server:
        model = impatient(model_for(server, wire))
        assert (await failure(model)).code == code
        assert len(server.requests) == 1


@every_wire
async def test_a_provider_that_gives_up_in_the_middle_is_told(wire: str) -> None:
    async with ModelServer(break_off()) as server:
        assert (await failure(model_for(server, wire))).code == "llm_unavailable"
        assert len(server.requests) == 1


@every_wire
async def test_no_retry_after_the_first_token(wire: str) -> None:
    async with ModelServer([cut(" ".join(["word"] * 9), after=7), say("again")]) as server:
        said: list[str] = []
        with pytest.raises(RunFailed):
            await listen(model_for(server, wire), said)
        assert (bool("".join(said)), len(server.requests)) == (True, 1)


@every_wire
async def test_an_empty_answer_is_asked_for_again_and_then_told(wire: str) -> None:
    async with ModelServer([say(""), say("", thinking=""), say("Now.")]) as server:
        model = impatient(model_for(server, wire))
        assert (await answer(model)).text == "Now."
    async with ModelServer(think("only thoughts")) as server:
        assert (await failure(model_for(server, wire))).code == "llm_bad_response"


@every_wire
async def test_events_of_an_unknown_type_are_passed_over(wire: str) -> None:
    async with ModelServer(unknown("one two three")) as server:
        assert (await answer(model_for(server, wire))).text == "one two three"


@every_wire
@pytest.mark.parametrize("reply", [hang(), stall(after=2)])
async def test_silence_ends_in_a_timeout_and_frees_the_connection(wire: str, reply: Reply) -> None:
    async with ModelServer(reply) as server:
        model = model_for(server, wire, model_timeout=0.3, model_idle_timeout=0.3)
        assert (await failure(model)).code == "llm_timeout"
        await server.wait_until(lambda: server.open_streams == 0)


@every_wire
async def test_an_endless_answer_is_cut_at_the_cap(wire: str) -> None:
    async with ModelServer(endless()) as server:
        assert (await failure(limited(model_for(server, wire), output=3000))).code == "output_limit"
        await server.wait_until(lambda: server.open_streams == 0)


@every_wire
async def test_endless_thinking_is_cut_too(wire: str) -> None:
    async with ModelServer(think(["hm "] * 3000, "done")) as server:
        assert (await failure(limited(model_for(server, wire), output=3000))).code == "output_limit"


@every_wire
async def test_an_answer_cut_by_length_is_shown_and_marked(wire: str) -> None:
    async with ModelServer(say("half a sen", stop="length")) as server:
        message = await model_for(server, wire).ainvoke("hi")
    assert message.text == "half a sen"
    assert is_cut(message)


@wires_that_stream_arguments
async def test_arguments_that_are_no_json_are_marked_not_mended_in_silence(wire: str) -> None:
    async with ModelServer(
        calls(ToolCall("click", '{"target": "the'), ToolCall("click", {"target": "a"}))
    ) as server:
        message = await model_for(server, wire).bind_tools([click]).ainvoke("hi")
    assert list(broken_tool_calls(message).values()) == ['{"target": "the']
    assert next(iter(broken_tool_calls(message))) == message.tool_calls[0]["id"]


SCHEMA = {
    "title": "act",
    "description": "One step.",
    "type": "object",
    "properties": {"say": {"type": "string"}},
    "required": ["say"],
    "additionalProperties": False,
}


@every_wire
async def test_structured_output_by_schema_streams_and_is_marked_when_cut(wire: str) -> None:
    async with ModelServer(
        [say('{"say": "one two three four"}'), say('{"say": "on', stop="length")]
    ) as server:
        model: Any = model_for(server, wire).with_structured_output(SCHEMA, method="json_schema")
        pieces = [chunk.text async for chunk in model.first.astream("hi")]
        assert "".join(pieces) == '{"say": "one two three four"}'
        assert server.refusals == []
        assert is_cut(await model.first.ainvoke("hi"))


@every_wire
async def test_leaving_a_stream_closes_the_providers_connection(wire: str) -> None:
    async with ModelServer(endless(delay=0.01)) as server:
        stream = model_for(server, wire).astream("hi")
        async for chunk in stream:
            if chunk.text:
                break
        await stream.aclose()  # type: ignore[attr-defined]
        await server.wait_until(lambda: server.open_streams == 0)


async def test_nobody_at_the_address_is_told_as_unavailable() -> None:
    nowhere = settings(openai_base_url="http://127.0.0.1:9/v1", openai_api_key="k")
    model = impatient(build_chat_model("openai:x", nowhere))
    assert (await failure(model)).code == "llm_unavailable"


@wires_with_a_key
async def test_a_wrong_key_is_refused_and_not_shown(wire: str) -> None:
    async with ModelServer(say("hi")) as server:
        name, options = WIRES[wire]
        keys = {f"{provider}_api_key": "sk-canary" for provider in ("anthropic", "openai", "google")}
        bad = server.settings(**keys, **options)
        failed = await failure(build_chat_model(name, bad))
    assert failed.code == "llm_auth"
    assert "canary" not in str(failed)


QUOTA = "You exceeded your current quota, please check your plan and billing details."


@pytest.mark.parametrize(
    ("reply", "code", "asked"),
    [
        (fail(429, QUOTA, retry_after=31.5), "llm_rate_limited", 1),
        (fail(429, QUOTA), "llm_rate_limited", 1),
        (fail(400, "The input token count (9) exceeds the maximum number of tokens allowed (8)."), "llm_context_too_long", 1),
        (say("", stop="PROHIBITED_CONTENT"), "llm_content_filter", 1),
        (say("Let me see.", stop="MALFORMED_FUNCTION_CALL"), "llm_bad_response", 1),
        (call("click", '{"target": "the'), "llm_bad_response", 3),
    ],
)  # fmt: skip
async def test_what_only_gemini_says_is_understood(reply: Reply, code: str, asked: int) -> None:
    async with ModelServer(reply) as server:
        failed = await failure(impatient(model_for(server, "google")))
        assert (failed.code, len(server.requests)) == (code, asked)
        assert failed.retry_after == (31.5 if reply.headers else None)


async def test_a_prompt_that_gemini_blocks_is_told_as_filtered() -> None:
    async with ModelServer(Reply(fault="block")) as server:
        assert (await failure(model_for(server, "google"))).code == "llm_content_filter"
        assert len(server.requests) == 1


async def test_gemini_gets_its_signatures_back() -> None:
    async with ModelServer([call("click", {"target": "a"}), say("Done.")]) as server:
        model = model_for(server, "google").bind_tools([click])
        first = await model.ainvoke("Click a.")
        answered = ToolMessage("ok", tool_call_id=first.tool_calls[0]["id"])
        await model.ainvoke([HumanMessage("Click a."), first, answered])
        assert server.requests[1].messages[1]["parts"][0]["thoughtSignature"] == "c2lnbmVk"


async def test_ollamas_models_are_never_asked_to_think_and_their_thinking_is_no_silence() -> None:
    slow = think(["hm "] * 6, "Done.", delay=0.4)
    async with ModelServer(slow) as server:
        model = model_for(server, "ollama", model_timeout=2, model_idle_timeout=2)
        assert (await answer(model)).text == "Done."
        assert "think" not in server.requests[0].body


async def test_a_retry_is_announced_as_a_custom_event() -> None:
    from langgraph.graph import END, START, MessagesState, StateGraph

    from server.agent.streaming import graph_events

    async with ModelServer([fail(503, retry_after=0), say("Fine.")]) as server:
        model = model_for(server, "anthropic")

        async def node(state: MessagesState) -> dict[str, Any]:
            return {"messages": [await model.ainvoke(state["messages"])]}

        graph = (
            StateGraph(MessagesState)
            .add_node("node", node)
            .add_edge(START, "node")
            .add_edge("node", END)
            .compile()
        )
        told = [
            e
            async for e in graph_events(graph, {"messages": [HumanMessage("hi")]}, {})
            if e["name"] == "model_retry"
        ]
    assert [e["data"] for e in told] == [{"code": "llm_unavailable", "delay": 0.0, "failed": 1, "tries": 3}]


def test_thoughts_are_asked_of_models_that_have_them() -> None:
    keys = settings(anthropic_api_key="k", google_api_key="k")
    haiku: Any = build_chat_model("anthropic:claude-haiku-5-5", keys)
    assert haiku.thinking == {"type": "adaptive", "display": "summarized"}
    gemini: Any = build_chat_model("google:gemini-3.8-flash", keys)
    old: Any = build_chat_model("google:gemini-2.0-flash", keys)
    assert (gemini.include_thoughts, old.include_thoughts) == (True, False)


async def test_all_models_share_our_transport() -> None:
    """The one private name we rely on for Anthropic: notice when it changes."""
    from server.agent.models.ollama import OlderTransport
    from server.agent.models.transport import model_http_client, ssl_context

    keys = settings(anthropic_api_key="k", openai_api_key="k", google_api_key="k")
    anthropic: Any = build_chat_model("anthropic:claude-haiku-5-5", keys)
    openai: Any = build_chat_model("openai:gpt-6-luna", keys)
    assert anthropic._async_client._client is model_http_client()
    assert openai.root_async_client._client is model_http_client()
    google: Any = build_chat_model("google:gemini-3.8-flash", keys)
    ollama: Any = build_chat_model("ollama:qwen3", keys)
    assert google.async_client._api_client._async_httpx_client is model_http_client()
    assert google.async_client._api_client._websocket_ssl_ctx["ssl"] is ssl_context()
    assert isinstance(ollama._async_client._client._transport, OlderTransport)
