"""The demo model drives both agents, tells the truth about what it did, and never passes for an LLM."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage
from langchain_core.tools import StructuredTool

from server.agent.context import UserUpdates
from server.agent.demo.model import DemoChatModel
from server.agent.models.chat_model import build_chat_model
from server.settings import Settings
from tests.support.operator_world import World
from tests.support.scripted_browser import ScriptedBrowser

SITE = "http://shop.example/"
PAGES = {
    SITE: '- heading "Kettles" [level=1] [ref=e1]\n- searchbox "Search" [ref=e2]\n- link "Blue kettle" [ref=e3]\n'
    '- link "Red kettle" [ref=e4]',
    SITE
    + "blue": '- heading "Blue kettle" [level=1] [ref=e1]\n- paragraph [ref=e2]: Costs 43.90 and whistles.\n'
    '- textbox "Name" [ref=e3]\n- combobox "Size" [ref=e4]:\n  - option "Large"',
}
LEADS = {(SITE, "Blue kettle"): SITE + "blue", (SITE, "Search"): SITE + "blue"}
FOOTER = "not an LLM"


def quick_demo() -> DemoChatModel:
    return DemoChatModel(delay=0)


def browser() -> ScriptedBrowser:
    return ScriptedBrowser(dict(PAGES), dict(LEADS))


def test_it_is_built_by_name_and_needs_no_key() -> None:
    for name in ("demo", "demo:demo"):
        assert isinstance(build_chat_model(name, Settings(_env_file=None)), DemoChatModel)  # type: ignore[call-arg]


# With the operator


def operator(**options: Any) -> World:
    return World(browser(), quick_demo(), **options)  # type: ignore[arg-type]


async def test_the_operator_opens_clicks_and_tells_what_the_page_says() -> None:
    world = operator()
    answer = await world.say(f"open {SITE} then click Blue kettle and read the page")
    assert world.browser.log == [f"navigate {SITE}", "click Blue kettle"]
    assert answer is not None
    assert "Costs 43.90 and whistles." in answer
    assert FOOTER in answer
    assert world.spoken == answer


async def test_the_operators_plan_shows_the_work() -> None:
    world = operator()
    await world.say(f"open {SITE}, click Blue kettle and read the page")
    assert world.values["plan"] == [f"Open {SITE}", "Click “Blue kettle”", "Say what the page shows"]
    assert world.values["progress"]["done"] == [f"Opened {SITE}", "Clicked “Blue kettle”"]


async def test_the_operator_fills_selects_presses_and_scrolls() -> None:
    world = operator()
    await world.say(
        f"open {SITE}blue; fill Name with Ada; select Large in Size; press Tab; scroll up; wait 1 s; go back"
    )
    assert world.browser.log == [
        f"navigate {SITE}blue", "type Name=Ada", "select Large in Size", "press Tab", "scroll up 600", "wait 1000", "back",
    ]  # fmt: skip


async def test_the_operator_speaks_russian() -> None:
    world = operator()
    answer = await world.say(f"открой {SITE}, нажми «Blue kettle» и прочитай страницу")
    assert answer is not None
    assert "На ней написано" in answer
    assert "не является LLM" in answer


async def test_what_is_not_on_the_page_is_told_with_what_is() -> None:
    world = operator()
    answer = await world.say(f"open {SITE}, click Checkout, then press Enter")
    assert world.browser.log == [f"navigate {SITE}"]
    assert answer is not None
    assert "nothing called “Checkout”" in answer
    assert "“Blue kettle”" in answer
    assert "Not done: Pressed Enter" in answer


async def test_a_step_that_fails_ends_the_work_with_its_reason() -> None:
    world = operator()
    world.browser.failing["click"] = "the page did not answer"
    answer = await world.say(f"open {SITE}, click Blue kettle, go back")
    assert answer is not None
    assert "This did not work: Clicked “Blue kettle”" in answer
    assert "the page did not answer" in answer


async def test_more_steps_than_the_plan_can_show_are_all_done() -> None:
    world = operator(max_tool_steps=20)
    await world.say(f"open {SITE}" + "".join(f", wait {n} s" for n in range(1, 10)))
    assert world.browser.log == [f"navigate {SITE}", *(f"wait {n}000" for n in range(1, 10))]


async def test_an_edited_plan_loses_none_of_the_steps_that_the_plan_shows_together() -> None:
    world = operator(max_tool_steps=20)
    shown = (
        f"Open {SITE}",
        "Wait 1 s",
        "Wait 2 s",
        "Wait 3 s",
        "Wait 4 s; Wait 5 s; Wait 6 s",
        "Say what the page shows",
    )
    mine = (*shown, "Tell the title")
    world.inbox.news = [UserUpdates()] * 3 + [UserUpdates(plan=mine)]
    answer = await world.say(f"open {SITE}" + "".join(f", wait {n} s" for n in range(1, 7)))
    assert list(shown) in [told["plan"] for told in world.of("state")]
    assert world.values["plan"] == list(mine)
    assert world.browser.log == [f"navigate {SITE}", *(f"wait {n}000" for n in range(1, 7))]
    assert "not understand" not in (answer or "")


async def test_after_the_limit_it_goes_on_where_it_was() -> None:
    world = operator(max_tool_steps=2)
    paused = await world.say(f"open {SITE}, click Blue kettle, type Ada into Name")
    assert paused is not None
    assert "?" in paused
    await world.say("continue")
    assert world.browser.log == [f"navigate {SITE}", "click Blue kettle", "type Name=Ada"]


async def test_a_new_request_after_unfinished_work_has_a_plan_of_its_own() -> None:
    world = operator(max_tool_steps=1)
    await world.say(f"open {SITE}, click Blue kettle")
    answer = await world.say("read the page")
    assert answer is not None
    assert "The page is" in answer
    assert world.values["current_goal"] == "read the page"
    assert world.values["plan"] == ["Say what the page shows"]


async def test_words_in_the_middle_are_the_new_task() -> None:
    world = operator()
    world.inbox.news = [UserUpdates(), UserUpdates(), UserUpdates(messages=("click Red kettle",))]
    await world.say(f"open {SITE}, click Blue kettle, go back")
    assert world.browser.log == [f"navigate {SITE}", "click Red kettle"]


async def test_a_login_is_handed_to_the_person() -> None:
    world = operator()
    assert await world.say(f"open {SITE} then log in then click Blue kettle") is None
    assert world.question is not None
    assert world.question["kind"] == "manual"
    assert await world.answer(True) is not None
    assert world.browser.log[-1] == "click Blue kettle"


@pytest.mark.parametrize("words", ["Book me a flight to Rome", "hello", "what can you do?"])
async def test_what_it_cannot_do_it_says_plainly(words: str) -> None:
    world = operator()
    answer = await world.say(words)
    assert answer is not None
    assert FOOTER.removeprefix("is ") in answer
    assert "demo model" in answer
    assert world.browser.log == []


# With the assistant: the tools of a browser's MCP server


def agent(tools: list[StructuredTool]) -> Any:
    return create_agent(quick_demo(), tools=tools, system_prompt="You are an assistant.")


def playwright_tools(door: ScriptedBrowser, **more: str) -> list[StructuredTool]:
    async def call(name: str, **args: Any) -> str:
        outcome = await door.call(name, args)
        return f"{outcome.text}\nPage: {door.url}\n<untrusted-page>\n{PAGES.get(door.url, '')}\n</untrusted-page>"

    schemas = {
        "browser_navigate": ["url"], "browser_snapshot": [], "browser_click": ["element", "target"],
        "browser_type": ["element", "target", "text", "submit"], "browser_press_key": ["key"],
        "browser_navigate_back": [], "browser_take_screenshot": [],
    }  # fmt: skip
    return [tool_of(name, fields, call) for name, fields in schemas.items()]


def tool_of(name: str, fields: list[str], call: Any) -> StructuredTool:
    async def run(**args: Any) -> str:
        return str(await call(name, **args))

    properties = {field: {"type": "boolean" if field == "submit" else "string"} for field in fields}
    return StructuredTool(
        name=name, description=name, args_schema={"type": "object", "properties": properties}, coroutine=run
    )


async def ask(assistant: Any, *said: str) -> str:
    messages: list[Any] = [HumanMessage(text) for text in said]
    result = await assistant.ainvoke({"messages": messages})
    return str(result["messages"][-1].text)


async def test_the_assistant_opens_clicks_and_tells() -> None:
    door = browser()
    answer = await ask(agent(playwright_tools(door)), f"open {SITE} then click Blue kettle and read the page")
    assert door.log == [f"navigate {SITE}", "click Blue kettle"]
    assert "Costs 43.90 and whistles." in answer
    assert FOOTER in answer


async def test_the_assistant_looks_at_the_page_before_it_acts_on_it() -> None:
    door = browser()
    door.url = SITE
    await ask(agent(playwright_tools(door)), "type kettle into Search")
    assert door.log == ["browser_snapshot", "type Search=kettle"]


async def test_the_assistant_searches_and_scrolls_with_the_tools_there_are() -> None:
    door = browser()
    door.url = SITE
    await ask(agent(playwright_tools(door)), "search for kettles, scroll down, go back, take a screenshot")
    assert door.log == ["browser_snapshot", "type Search=kettles +enter", "browser_press_key", "browser_navigate_back",
                        "browser_take_screenshot"]  # fmt: skip


async def test_the_assistant_answers_only_the_newest_message() -> None:
    door = browser()
    history = [HumanMessage("open a.example"), AIMessage("Opened."), HumanMessage(f"open {SITE}")]
    await agent(playwright_tools(door)).ainvoke({"messages": history})
    assert door.log == [f"navigate {SITE}"]


async def test_a_failing_tool_ends_the_work_with_its_reason() -> None:
    async def refuse(name: str, **args: Any) -> str:
        return "Error: net::ERR_NAME_NOT_RESOLVED"

    answer = await ask(
        agent([tool_of("browser_navigate", ["url"], refuse)]), "open nowhere.example and click Buy"
    )
    assert "This did not work: Opened https://nowhere.example" in answer
    assert "ERR_NAME_NOT_RESOLVED" in answer


async def test_browser_uses_tools_take_indexes() -> None:
    log: list[tuple[str, Any]] = []

    async def call(name: str, **args: Any) -> str:
        log.append((name, args))
        return '{"url": "http://a.example/", "title": "A", "interactive_elements": [{"index": 4, "tag": "a", "text": "More"}]}'

    tools = [tool_of(name, fields, call) for name, fields in
             {"browser_navigate": ["url"], "browser_get_state": [], "browser_click": ["index"]}.items()]  # fmt: skip
    await ask(agent(tools), "open a.example then click More")
    assert log[-1] == ("browser_click", {"index": 4})


async def test_a_picture_hides_nothing_of_the_page_from_the_answer() -> None:
    async def call(name: str, **args: Any) -> str:
        is_look = name == "browser_get_state"
        return (
            '{"url": "http://a.example/", "title": "A", "interactive_elements": []}' if is_look else "Taken."
        )

    tools = [tool_of(name, [], call) for name in ("browser_screenshot", "browser_get_state")]
    assert "**A** (http://a.example/)" in await ask(agent(tools), "take a screenshot")


async def test_without_a_fitting_tool_it_says_so() -> None:
    assert "I have no tool" in await ask(
        agent(playwright_tools(browser())), f"open {SITE}, hover over Blue kettle"
    )


async def test_the_answer_streams_word_by_word() -> None:
    chunks = [chunk async for chunk in quick_demo().astream("hello")]
    assert len(chunks) > 20
    assert isinstance(chunks[0], AIMessageChunk)


async def test_a_ping_is_answered_with_a_noun() -> None:
    words = "this is a ping test: do not think, respond as quickly as possible with any noun"
    message = (
        await quick_demo()
        .bind_tools(playwright_tools(browser()))
        .ainvoke([SystemMessage("x"), HumanMessage(words)])
    )
    assert message.text == "Lighthouse"
