"""The assistant's own layers around real create_agent: its limits, and what a person says meanwhile."""

import json
from dataclasses import replace
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from langgraph.types import Command

from server.agent.approval import MASK
from server.agent.assistant import build_assistant
from server.agent.assistant_input import first_input, recursion_limit
from server.agent.assistant_limits import OUT_OF_BUDGET, OUT_OF_STEPS
from server.agent.chat_model import build_chat_model
from server.agent.context import News, RunContext
from server.agent.event_adapter import EventAdapter
from server.agent.streaming import events
from server.agent.whole_calls import BROKEN_CALL
from server.browser.browser import Picture, ToolSpec
from server.events import Message, ToolEnd, ToolStart, now
from tests.support.model_reply import Reply, ToolCall, call, say
from tests.support.model_server import ModelServer
from tests.support.operator_world import Granted, Post
from tests.support.scripted_browser import ScriptedBrowser
from tests.support.scripted_model import ScriptedModel
from tests.unit.test_operator_consent import LOGIN, LOGIN_PAGE
from tests.unit.test_operator_graph import CART, LEADS, PAGES, THANKS

LOOK = {"tool": "browser_snapshot", "raw": json.dumps({})}
SPECS = [ToolSpec("browser_snapshot", "look", {"type": "object", "properties": {}}, acts=False)]

NAVIGATE = ToolSpec("browser_navigate", "open", {"type": "object", "properties": {"url": {"type": "string"}}})
WIPE = ToolSpec("files_wipe", "wipe", {"type": "object", "properties": {}}, "files")


def new_context(
    post: Post | None = None, *, max_tool_steps: int = 2, browser: ScriptedBrowser | None = None,
    grants: Granted | None = None,
) -> RunContext:  # fmt: skip
    browser = browser or ScriptedBrowser(dict(PAGES), dict(LEADS), CART)

    async def the_browser() -> ScriptedBrowser:
        return browser

    async def keep(picture: Picture) -> None:
        return None

    return RunContext(
        run_id="r", session_id="s", browser=the_browser, keep=keep, inbox=post or Post(),
        grants=grants or Granted(), max_tool_steps=max_tool_steps,
    )  # fmt: skip


async def run(model: ScriptedModel, post: Post | None = None, *, max_tool_steps: int = 2) -> list[AnyMessage]:
    """The messages that the graph ends with."""
    graph = build_assistant(model, SPECS)
    result = await graph.ainvoke(
        {"messages": [HumanMessage("What do you see?")]},
        {"recursion_limit": recursion_limit(max_tool_steps)},
        context=new_context(post, max_tool_steps=max_tool_steps),
    )
    messages: list[AnyMessage] = result["messages"]
    return messages


async def test_a_tool_call_beyond_the_limit_is_not_made_and_the_model_is_told() -> None:
    messages = await run(ScriptedModel(turns=[LOOK, LOOK, LOOK, "A cart."], prompts=[]))
    results = [message.text for message in messages if isinstance(message, ToolMessage)]
    assert [result == OUT_OF_STEPS for result in results] == [False, False, True]
    assert messages[-1].text == "A cart."


async def test_an_answer_at_the_limit_says_that_it_is_one() -> None:
    model = ScriptedModel(turns=[LOOK, LOOK, LOOK, "A cart."], prompts=[])
    graph = build_assistant(model, SPECS, checkpointer=InMemorySaver())
    adapter = EventAdapter("m")
    first = {"messages": [HumanMessage("What do you see?")]}
    config: RunnableConfig = {"recursion_limit": recursion_limit(2), "configurable": {"thread_id": "t"}}
    async for raw in events(graph, first, config, context=new_context(), durability="exit"):
        adapter.feed(raw)
    assert adapter.answer_meta == {"outcome": "limit"}


async def test_a_tool_that_pictures_the_page_is_told_with_the_picture() -> None:
    async def keep(picture: Picture) -> str:
        return f"/{len(picture.data)}.jpg"

    specs = [*SPECS, ToolSpec("browser_take_screenshot", "picture", SPECS[0].schema, acts=False)]
    turns = [LOOK, {"tool": "browser_take_screenshot", "raw": json.dumps({})}, "Taken."]
    graph = build_assistant(ScriptedModel(turns=turns, prompts=[]), specs)
    adapter, told = EventAdapter("m"), list[Any]()
    first, context = {"messages": [HumanMessage("Picture it.")]}, replace(new_context(), keep=keep)
    async for raw in events(graph, first, {}, context=context):
        told += adapter.feed(raw)
    assert [bool(event.screenshot) for event in told if isinstance(event, ToolEnd)] == [False, True]


async def test_what_it_types_into_a_secret_field_is_told_to_nobody() -> None:
    specs = [ToolSpec("browser_type", "type", {"type": "object", "properties": {"target": {}, "text": {}}})]
    typing = {"tool": "browser_type", "raw": json.dumps({"target": "l3", "text": "hunter2"})}
    browser = ScriptedBrowser({LOGIN: LOGIN_PAGE}, {}, LOGIN)
    context = new_context(browser=browser, grants=Granted({("mail.example", "credential")}))
    model = ScriptedModel(turns=[typing, "In."], prompts=[])
    graph = build_assistant(model, specs, checkpointer=InMemorySaver())
    adapter, told = EventAdapter("m"), list[Any]()
    config: RunnableConfig = {"recursion_limit": recursion_limit(2), "configurable": {"thread_id": "t"}}
    first = {"messages": [HumanMessage("Log me in with hunter2.")]}
    async for raw in events(graph, first, config, context=context, durability="exit"):
        told += adapter.feed(raw)
    (start,) = [event for event in told if isinstance(event, ToolStart)]
    assert start.args == {"target": "l3", "text": MASK}
    assert not any("hunter2" in event.model_dump_json() for event in told)


@pytest.mark.parametrize(
    "budget",
    [{"token_budget": 200}, {"cost_budget": 0.2, "cost_of": lambda usage: usage["total_tokens"] / 1000}],
)
async def test_a_spent_budget_ends_in_what_was_found_and_not_in_a_failure(budget: dict[str, Any]) -> None:
    model = ScriptedModel(turns=[LOOK, LOOK, "A cart so far. Go on?"], prompts=[], tokens=100)
    graph = build_assistant(model, SPECS, **budget)
    context = new_context(max_tool_steps=9)
    result = await graph.ainvoke({"messages": [HumanMessage("What do you see?")]}, context=context)
    results = [message.text for message in result["messages"] if isinstance(message, ToolMessage)]
    assert [text == OUT_OF_BUDGET for text in results] == [False, True]
    assert result["messages"][-1].text == "A cart so far. Go on?"


async def test_the_limit_holds_for_the_whole_run_whatever_is_asked_in_between() -> None:
    wipe = {"tool": WIPE.name, "raw": json.dumps({})}
    model = ScriptedModel(turns=[wipe, wipe, wipe, "Wiped."], prompts=[])
    graph = build_assistant(model, [WIPE], checkpointer=InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "t"}}
    earlier = [
        Message(id="1", session_id="s", run_id="q", seq=1, role="tool", content="a page", created_at=now(),
                meta_json={"call_id": "c", "name": "browser_snapshot"}),
        Message(id="2", session_id="s", run_id="r", seq=2, role="user", content="Look.", created_at=now()),
    ]  # fmt: skip
    result = await graph.ainvoke(first_input(earlier), config, context=new_context())
    for _ in range(2):
        (asked,) = result["__interrupt__"]
        yes: Command[Any] = Command(resume={"reference": asked.value["reference"], "confirmed": True})
        result = await graph.ainvoke(yes, config, context=new_context())
    assert "__interrupt__" not in result, "the third call is not even asked about"
    results = [message.text for message in result["messages"] if isinstance(message, ToolMessage)]
    assert [text == OUT_OF_STEPS for text in results] == [False, False, False, True]


@pytest.mark.parametrize("name", ["anthropic:claude-haiku-4-5", "openai:gpt-5-mini", "openrouter:some/model"])
@pytest.mark.parametrize("broken", ['{"url": "https://shop.exam', "url=https://shop.example/"])
async def test_a_call_with_broken_arguments_is_told_and_not_made_with_guessed_ones(
    name: str, broken: str
) -> None:
    script = [call("browser_navigate", broken), call("browser_navigate", {"url": THANKS}), say("There.")]
    async with ModelServer(script) as server:
        graph, context = build_assistant(build_chat_model(name, server.settings()), [NAVIGATE]), new_context()
        asked = {"messages": [HumanMessage("Open it.")]}
        result = await graph.ainvoke(asked, {"recursion_limit": 20}, context=context)
        assert server.refusals == []
    assert cast(ScriptedBrowser, await context.browser()).log == [f"navigate {THANKS}"]
    told = [message.text for message in result["messages"] if isinstance(message, ToolMessage)]
    assert [text == BROKEN_CALL for text in told] == [True, False]
    assert result["messages"][-1].text == "There."


@pytest.mark.parametrize("call_id", ["", "same"])
async def test_calls_without_an_id_of_their_own_are_told_apart(call_id: str) -> None:
    made = [ToolCall("browser_navigate", {"url": url}, call_id) for url in (CART, THANKS)]
    cut_off = ToolCall("browser_navigate", '{"url": "https://shop.exam', call_id)
    adapter, told = EventAdapter("m"), list[Any]()
    async with ModelServer([Reply(calls=made), Reply(calls=[cut_off]), say("Both.")]) as server:
        graph = build_assistant(build_chat_model("openrouter:some/model", server.settings()), [NAVIGATE])
        context, asked = new_context(max_tool_steps=5), {"messages": [HumanMessage("Open both.")]}
        async for raw in events(graph, asked, {"recursion_limit": 20}, context=context):
            told += adapter.feed(raw)
        assert server.refusals == []
    assert cast(ScriptedBrowser, await context.browser()).log == [f"navigate {CART}", f"navigate {THANKS}"]
    assert (adapter.answer, adapter.open_calls) == ("Both.", [])
    assert len({event.call_id for event in told if isinstance(event, ToolEnd)}) == 2


async def test_a_model_that_never_ends_is_stopped() -> None:
    model = ScriptedModel(turns=[], again=LOOK, prompts=[])
    with pytest.raises(GraphRecursionError):
        await run(model, max_tool_steps=2)
    assert len(model.prompts) == 5, "three more than it may call tools"


async def test_what_a_person_says_meanwhile_is_read_with_the_next_step_and_stays() -> None:
    post = Post([News(), News(messages=("in French, please",)), News()])
    model = ScriptedModel(turns=[LOOK, LOOK, "Un panier."], prompts=[])
    messages = await run(model, post)
    assert ["in French" in prompt for prompt in model.prompts] == [False, True, True]
    kinds: list[Any] = [type(message) for message in messages]
    assert kinds == [HumanMessage, AIMessage, ToolMessage, HumanMessage, AIMessage, ToolMessage, AIMessage]
