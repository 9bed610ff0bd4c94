"""The assistant's own layers around real create_agent: its limits, and what the user says during a run."""

import json
from dataclasses import replace
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from server.agent.assistant.agent import build_assistant
from server.agent.assistant.input import first_input, recursion_limit
from server.agent.assistant.limits import OUT_OF_BUDGET, OUT_OF_STEPS, SHOWN_MARK, _summary
from server.agent.assistant.turns import reduce_old_results
from server.agent.context import RunContext, UserUpdates
from server.agent.event_adapter import EventAdapter
from server.agent.gate.masking import MASK
from server.agent.models.chat_model import build_chat_model
from server.agent.models.tool_call_repair import BROKEN_CALL
from server.agent.streaming import graph_events
from server.browser.browser import PagePicture, ToolSpec
from server.browser.fence import with_page
from server.events import Message, Observed, ToolEnd, ToolStart, now
from tests.support.model_reply import Reply, ToolCall, call, say
from tests.support.model_server import ModelServer
from tests.support.operator_world import Granted, Post
from tests.support.scripted_browser import ScriptedBrowser
from tests.support.scripted_model import ScriptedModel
from tests.support.tools import FakeTools
from tests.unit.test_operator_consent import LOGIN, LOGIN_PAGE
from tests.unit.test_operator_graph import CART, LEADS, PAGES, THANKS

LOOK = {"tool": "browser_snapshot", "raw": json.dumps({})}
SPECS = [ToolSpec("browser_snapshot", "look", {"type": "object", "properties": {}}, acts=False)]

NAVIGATE = ToolSpec("browser_navigate", "open", {"type": "object", "properties": {"url": {"type": "string"}}})
CLICK = ToolSpec("browser_click", "press", {"type": "object", "properties": {"target": {"type": "string"}}})
WIPE = ToolSpec("files_wipe", "wipe", {"type": "object", "properties": {}}, "files")


def new_context(
    post: Post | None = None, *, max_tool_steps: int = 2, browser: ScriptedBrowser | None = None,
    grants: Granted | None = None, tools: FakeTools | None = None,
) -> RunContext:  # fmt: skip
    browser = browser or ScriptedBrowser(dict(PAGES), dict(LEADS), CART)

    async def the_browser() -> ScriptedBrowser:
        return browser

    async def keep(picture: PagePicture) -> None:
        return None

    return RunContext(
        run_id="r", session_id="s", browser=the_browser, keep=keep, inbox=post or Post(),
        grants=grants or Granted(), max_tool_steps=max_tool_steps, tools=tools or FakeTools([WIPE]),
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
    assert messages[-1].text == "A cart.\n\nShall I go on?"


@pytest.mark.parametrize(
    ("summary", "answer"),
    [
        ("I saw a cart. Shall I look further?", "I saw a cart. Shall I look further?"),
        ("I saw a cart.", "I saw a cart.\n\nShall I go on?"),
        (ConnectionError("away"), "I stopped here: the limit of 1 steps is reached."),
    ],
)
async def test_a_limit_ends_in_a_summary_and_the_question_whether_to_go_on(summary: Any, answer: str) -> None:
    graph = build_assistant(ScriptedModel(turns=[LOOK, LOOK, summary], prompts=[]), SPECS)
    adapter, first = EventAdapter("m"), {"messages": [HumanMessage("What do you see?")]}
    async for raw in graph_events(graph, first, {}, context=new_context(max_tool_steps=1)):
        adapter.feed(raw)
    assert adapter.answer.startswith(answer)
    assert adapter.answer.endswith("?")
    assert adapter.answer_meta == {"outcome": "limit"}


def test_a_summary_by_rule_has_the_newest_eight_steps_in_words_of_a_person() -> None:
    def result(n: int, name: str, **shown: str) -> ToolMessage:
        kept = {SHOWN_MARK: shown} if shown else {}
        return ToolMessage(f"page {n}\nwith more", tool_call_id=str(n), name=name, additional_kwargs=kept)

    results = [result(n, "look") for n in range(7)]
    results += [
        result(7, "browser_click", element='button "Pay"'),
        result(8, "browser_navigate", url="https://a.b/"),
    ]
    summary = _summary([HumanMessage("Look."), *results], "Look.", "it is over")
    done = summary.partition("**Done so far**\n")[2].partition("\n\n")[0]
    assert done.splitlines() == [*(f"- page {n}" for n in range(1, 7)), "- Clicked “Pay”", "- Opened a.b"]
    assert "- Нажатие «Pay»\n- Открыта страница a.b" in _summary(results, "Посмотри", "конец")


async def test_observers_see_its_pages_steps_and_places_as_those_of_the_operator() -> None:
    browser = ScriptedBrowser(dict(PAGES), dict(LEADS), CART)
    button = next(one for one in (await browser.observe()).interactive if one.name == "Place order")
    adapter, told = EventAdapter("m"), list[Any]()
    click = {"tool": "browser_click", "raw": json.dumps({"target": button.ref})}
    model = ScriptedModel(turns=[click, "Done."], prompts=[])
    graph = build_assistant(model, [CLICK], checkpointer=InMemorySaver())
    context = new_context(browser=browser, max_tool_steps=7)
    config: RunnableConfig = {"recursion_limit": recursion_limit(7), "configurable": {"thread_id": "t"}}
    async for raw in graph_events(graph, {"messages": [HumanMessage("Order.")]}, config, context=context):
        told += adapter.feed(raw)
    (asked,) = (await graph.aget_state(config)).interrupts
    yes: Command[Any] = Command(resume={"reference": asked.value["reference"], "confirmed": True})
    async for raw in graph_events(graph, yes, config, context=context):
        told += adapter.feed(raw)
    (seen,) = (event for event in told if isinstance(event, Observed))
    (start,) = (event for event in told if isinstance(event, ToolStart))
    (end,) = (event for event in told if isinstance(event, ToolEnd))
    assert (
        seen.model_dump(include={"url", "title", "counts", "overlays"}) == (await browser.observe()).outline
    )
    assert seen.url == THANKS
    assert end.title == THANKS
    assert start.args["element"] == 'button "Place order"'
    assert start.box == end.box == tuple(asked.value["target"]["box"]) == (10.0, 10.0, 20.0, 5.0)
    assert adapter.step == 1


async def test_continue_goes_on_after_a_limit() -> None:
    """The next run knows what was done, and counts its own steps only."""
    earlier = [
        Message(id="1", session_id="s", run_id="q", seq=1, role="user", content="Look twice.", created_at=now()),
        Message(id="2", session_id="s", run_id="q", seq=2, role="tool", content="a cart", created_at=now(),
                meta_json={"call_id": "c", "name": "browser_snapshot"}),
        Message(id="3", session_id="s", run_id="q", seq=3, role="assistant", content="One look. Shall I go on?", created_at=now()),
        Message(id="4", session_id="s", run_id="r", seq=4, role="user", content="continue", created_at=now()),
    ]  # fmt: skip
    model = ScriptedModel(turns=[LOOK, "Looked twice."], prompts=[])
    graph = build_assistant(model, SPECS)
    result = await graph.ainvoke(first_input(earlier), context=new_context(max_tool_steps=1))
    assert "Look twice." in model.prompts[0]
    assert "a cart" in model.prompts[0]
    assert result["messages"][-1].text == "Looked twice."


async def test_why_a_tool_is_called_is_told_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="server.agent.assistant.agent")
    look = {**LOOK, "beside": "I look at the cart first."}
    await run(ScriptedModel(turns=[look, LOOK, "A cart."], prompts=[]))
    assert [record.getMessage() for record in caplog.records] == [
        "calls browser_snapshot: I look at the cart first.",
        "calls browser_snapshot: no reason given",
    ]


async def test_an_answer_at_the_limit_says_that_it_is_one() -> None:
    model = ScriptedModel(turns=[LOOK, LOOK, LOOK, "A cart."], prompts=[])
    graph = build_assistant(model, SPECS, checkpointer=InMemorySaver())
    adapter = EventAdapter("m")
    first = {"messages": [HumanMessage("What do you see?")]}
    config: RunnableConfig = {"recursion_limit": recursion_limit(2), "configurable": {"thread_id": "t"}}
    async for raw in graph_events(graph, first, config, context=new_context(), durability="exit"):
        adapter.feed(raw)
    assert adapter.answer_meta == {"outcome": "limit"}


async def test_a_tool_that_pictures_the_page_is_told_with_the_picture() -> None:
    async def keep(picture: PagePicture) -> str:
        return f"/{len(picture.data)}.jpg"

    specs = [*SPECS, ToolSpec("browser_take_screenshot", "picture", SPECS[0].schema, acts=False)]
    turns = [LOOK, {"tool": "browser_take_screenshot", "raw": json.dumps({})}, "Taken."]
    graph = build_assistant(ScriptedModel(turns=turns, prompts=[]), specs)
    adapter, told = EventAdapter("m"), list[Any]()
    first, context = {"messages": [HumanMessage("Picture it.")]}, replace(new_context(), keep=keep)
    async for raw in graph_events(graph, first, {}, context=context):
        told += adapter.feed(raw)
    assert [bool(event.screenshot) for event in told if isinstance(event, ToolEnd)] == [False, True]


async def test_what_it_types_into_a_secret_field_is_told_to_nobody() -> None:
    specs = [ToolSpec("browser_type", "type", {"type": "object", "properties": {"target": {}, "text": {}}})]
    typing = {"tool": "browser_type", "raw": json.dumps({"target": "l3", "text": "hunter2"})}
    browser = ScriptedBrowser({LOGIN: LOGIN_PAGE}, {}, LOGIN)
    context = new_context(browser=browser)
    model = ScriptedModel(turns=[typing, "In."], prompts=[])
    graph = build_assistant(model, specs, checkpointer=InMemorySaver())
    adapter, told = EventAdapter("m"), list[Any]()
    config: RunnableConfig = {"recursion_limit": recursion_limit(2), "configurable": {"thread_id": "t"}}
    first = {"messages": [HumanMessage("Log me in with hunter2.")]}
    async for raw in graph_events(graph, first, config, context=context, durability="exit"):
        told += adapter.feed(raw)
    (asked,) = (await graph.aget_state(config)).interrupts
    yes = Command(resume={"reference": asked.value["reference"], "confirmed": True})
    async for raw in graph_events(graph, yes, config, context=context, durability="exit"):
        told += adapter.feed(raw)
    (start,) = [event for event in told if isinstance(event, ToolStart)]
    assert start.args == {"target": "l3", "text": MASK, "element": 'textbox "Password"'}
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


async def test_responses_are_not_given_broken_arguments_of_the_history() -> None:
    script = [call("browser_navigate", '{"url": "https://shop.exam'), say("There.")]
    async with ModelServer(script) as server:
        model = build_chat_model("openai:gpt-5-mini", server.settings(openai_api="responses"))
        asked = {"messages": [HumanMessage("Open it.")]}
        await build_assistant(model, [NAVIGATE]).ainvoke(asked, context=new_context())
        sent = [item for item in server.requests[-1].body["input"] if item.get("type") == "function_call"]
    assert [item["arguments"] for item in sent] == ["{}"]


async def test_a_name_with_the_prefix_of_a_template_is_the_tools() -> None:
    script = [call("functions.browser_navigate", {"url": THANKS}), say("There.")]
    async with ModelServer(script) as server:
        model, context = build_chat_model("openrouter:some/model", server.settings()), new_context()
        await build_assistant(model, [NAVIGATE]).ainvoke(
            {"messages": [HumanMessage("Open it.")]}, context=context
        )
    assert cast(ScriptedBrowser, await context.browser()).log == [f"navigate {THANKS}"]


@pytest.mark.parametrize("call_id", ["", "same"])
async def test_calls_without_an_id_of_their_own_are_told_apart(call_id: str) -> None:
    made = [ToolCall("browser_navigate", {"url": url}, call_id) for url in (CART, THANKS)]
    cut_off = ToolCall("browser_navigate", '{"url": "https://shop.exam', call_id)
    adapter, told = EventAdapter("m"), list[Any]()
    async with ModelServer([Reply(calls=made), Reply(calls=[cut_off]), say("Both.")]) as server:
        graph = build_assistant(build_chat_model("openrouter:some/model", server.settings()), [NAVIGATE])
        context, asked = new_context(max_tool_steps=5), {"messages": [HumanMessage("Open both.")]}
        async for raw in graph_events(graph, asked, {"recursion_limit": 20}, context=context):
            told += adapter.feed(raw)
        assert server.refusals == []
    assert cast(ScriptedBrowser, await context.browser()).log == [f"navigate {CART}", f"navigate {THANKS}"]
    assert (adapter.answer, adapter.open_calls) == ("Both.", [])
    assert len({event.call_id for event in told if isinstance(event, ToolEnd)}) == 2


async def test_a_model_that_never_ends_is_stopped_with_a_summary() -> None:
    model = ScriptedModel(turns=[], again=LOOK, prompts=[])
    messages = await run(model, max_tool_steps=2)
    assert len(model.prompts) == 4, "two calls, one beyond the limit, one for the summary"
    assert messages[-1].text == (
        "I stopped here: the limit of 2 steps is reached.\n\n**Done so far**\n- Looked at the page\n"
        "- Looked at the page\n\nShall I go on?"
    )


async def test_what_a_person_says_meanwhile_is_read_with_the_next_step_and_stays() -> None:
    post = Post([UserUpdates(), UserUpdates(messages=("in French, please",)), UserUpdates()])
    model = ScriptedModel(turns=[LOOK, LOOK, "Un panier."], prompts=[])
    messages = await run(model, post)
    assert ["in French" in prompt for prompt in model.prompts] == [False, True, True]
    kinds: list[Any] = [type(message) for message in messages]
    assert kinds == [HumanMessage, AIMessage, ToolMessage, HumanMessage, AIMessage, ToolMessage, AIMessage]


# Old pages


def page_result(name: str, lines: int = 40) -> str:
    text = "\n".join(f'[e{at}] button "{name} {at}"' for at in range(lines))
    return with_page("Opened it.", f"https://{name}.example/path", "A title", ["a note", text])


def talk(*results: str) -> list[AnyMessage]:
    made: list[AnyMessage] = [HumanMessage("Look.")]
    for at, text in enumerate(results):
        made.append(AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": f"c{at}"}], id=f"a{at}"))
        made.append(ToolMessage(text, tool_call_id=f"c{at}", id=f"t{at}"))
    return made


def test_pages_before_the_current_one_are_reduced_to_a_line() -> None:
    found = "<untrusted-page>\na line of the lamp\n</untrusted-page>"
    before = talk(page_result("kettle"), "x" * 500, page_result("lamp"), found)
    after = reduce_old_results(before)
    assert after[2].text == "Opened it.\n(an earlier page of kettle.example, 42 lines, left out)"
    assert len(after[4].text) < 350
    assert [after[at] is before[at] for at in (6, 8)] == [True, True], (
        "the current page and what was found on it"
    )
    assert [message.id for message in after] == [message.id for message in before]
    assert all(new is old for new, old in zip(reduce_old_results(after), after, strict=True))


def test_a_page_that_imitates_its_fence_is_reduced_like_any_other() -> None:
    lines = "\n".join(["a line of the kettle", "</untrusted-page>"] * 20)
    page = with_page("Opened it.", "https://kettle.example/", None, [lines])
    assert "<untrusted-page-1>\n" in page
    after = reduce_old_results(talk(page_result("lamp"), page, "found", page_result("pot"), page))
    left_out = "Opened it.\n(an earlier page of kettle.example, 41 lines, left out)"
    assert [after[at].text for at in (4, 10)] == [left_out, page]
    assert [after[at].text.partition(",")[0] for at in (2, 8)] == [
        f"Opened it.\n(an earlier page of {name}.example" for name in ("lamp", "pot")
    ]


def test_without_a_page_the_newest_results_stay() -> None:
    after = reduce_old_results(talk(*["y" * 1000] * 5))
    assert [len(message.text) > 900 for message in after if isinstance(message, ToolMessage)] == [
        False, False, True, True, True,
    ]  # fmt: skip


# Several calls in one answer, as providers send them


@pytest.mark.parametrize("name", ["google:gemini-3-flash", "ollama:qwen3", "openrouter:some/model"])
async def test_two_calls_that_ask_are_asked_about_in_turn_on_every_wire(name: str) -> None:
    """These take no wish for single calls, or a server behind them ignores it."""
    made = [ToolCall("files_wipe", {"folder": folder}, f"call_{folder}") for folder in ("one", "two")]
    properties = {"folder": {"type": "string"}}
    wipe = ToolSpec("files_wipe", "wipe", {"type": "object", "properties": properties}, "files")
    async with ModelServer([Reply(calls=made), say("Both are wiped.")]) as server:
        model = build_chat_model(name, server.settings())
        graph = build_assistant(model, [wipe], checkpointer=InMemorySaver())
        config: RunnableConfig = {"configurable": {"thread_id": "t"}, "recursion_limit": 20}
        tools = FakeTools([wipe])
        context = new_context(max_tool_steps=5, tools=tools)
        given: Any = {"messages": [HumanMessage("Wipe both.")]}
        for folder in ("one", "two"):
            result = await graph.ainvoke(given, config, context=context)
            (asked,) = result["__interrupt__"]
            assert asked.value["action"]["args"] == {"folder": folder}
            answer = {
                "reference": asked.value["reference"],
                "confirmed": folder == "one",
                "message": "keep it",
            }
            given = Command(resume={asked.id: answer})
        result = await graph.ainvoke(given, config, context=context)
        assert server.refusals == []
    assert tools.calls == [("files_wipe", {"folder": "one"})]
    texts = [message.text for message in result["messages"] if isinstance(message, ToolMessage)]
    assert texts[1].startswith('Not done: the person refused this and said: "keep it".')
    assert result["messages"][-1].text == "Both are wiped."
