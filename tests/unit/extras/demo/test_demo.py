"""The demo model drives both agents, reports truly what it did, and never passes for an LLM."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage
from langchain_core.tools import StructuredTool

from server.agent.context import UserUpdates
from server.browser.observation import Extra
from server.extras.demo.commands import read_request
from server.extras.demo.model import DemoChatModel
from server.extras.demo.operator import foresee
from server.extras.demo.planner import DemoProgress, FinalAnswer, plan_next
from server.extras.demo.words import Words
from server.runtime import chat_model, open_runtime
from server.settings import Settings
from tests.support.operator_world import World
from tests.support.scripted_browser import ScriptedBrowser

SITE = "http://shop.example/"
PAGES = {
    SITE: '- heading "Kettles" [level=1] [ref=e1]\n- searchbox "Search" [ref=e2]\n- link "Blue kettle" [ref=e3]\n'
    '- link "Red kettle" [ref=e4]\n- button "Place order" [ref=e5] [box=0,30,80,20]',
    SITE
    + "blue": '- heading "Blue kettle" [level=1] [ref=e1]\n- paragraph [ref=e2]: Costs 43.90 and whistles.\n'
    '- textbox "Name" [ref=e3]\n- combobox "Size" [ref=e4]:\n  - option "Large"',
}
LEADS = {(SITE, "Blue kettle"): SITE + "blue", (SITE, "Search"): SITE + "blue"}


def quick_demo() -> DemoChatModel:
    return DemoChatModel(delay=0)


TEXTS = {
    SITE: ["# Kettles\n\n[Blue kettle](http://shop.example/blue)\n\n[Red kettle](http://shop.example/red)"],
    SITE + "blue": [
        "# Blue kettle\n\nCosts 43.90 and whistles. It holds two litres.\n\n| Year | Price |\n| --- | --- |\n| 2023 | 39.90 |\n"
        "| 2024 | 43.90 |"
    ],
}


def browser() -> ScriptedBrowser:
    return ScriptedBrowser(dict(PAGES), dict(LEADS), texts=dict(TEXTS))


def test_it_is_built_by_name_and_needs_no_key() -> None:
    for name in ("demo", "demo:demo"):
        assert isinstance(chat_model(name, Settings(_env_file=None, agent_mode="real")), DemoChatModel)  # type: ignore[call-arg]


# With the operator


def operator(**options: Any) -> World:
    return World(browser(), quick_demo(), **options)  # type: ignore[arg-type]


async def test_the_operator_opens_clicks_and_tells_what_the_page_says() -> None:
    world = operator()
    answer = await world.say(f"open {SITE} then click Blue kettle and read the page")
    assert world.browser.log == [f"navigate {SITE}", "click Blue kettle", "read_page 1"]
    assert answer is not None
    assert "Costs 43.90 and whistles." in answer
    assert world.spoken == answer


async def test_the_operators_plan_shows_the_work() -> None:
    world = operator()
    await world.say(f"open {SITE}, click Blue kettle and read the page")
    assert world.values["plan"] == [f"Open {SITE}", "Click “Blue kettle”", "Read the page", "Answer"]
    assert world.values["progress"]["done"] == [f"Opened {SITE}", "Clicked “Blue kettle”", "Read the page"]


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


async def test_what_is_not_on_the_page_is_told_with_what_is() -> None:
    world = operator()
    answer = await world.say(f"open {SITE}, click Checkout, then press Enter")
    assert world.browser.log == [f"navigate {SITE}"]
    assert answer is not None
    assert "no “Checkout” on the page" in answer
    assert "“Blue kettle”" in answer
    assert "Not done: Press Enter" in answer


async def test_a_step_that_fails_ends_the_work_with_its_reason() -> None:
    world = operator()
    world.browser.failing["click"] = "the page did not answer"
    answer = await world.say(f"open {SITE}, click Blue kettle, go back")
    assert answer is not None
    assert "This did not work: Click “Blue kettle”" in answer
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
        "Answer",
    )
    mine = (*shown, "Tell the title")
    world.inbox.news = [UserUpdates()] * 3 + [UserUpdates(plan=mine)]
    answer = await world.say(f"open {SITE}" + "".join(f", wait {n} s" for n in range(1, 7)))
    assert list(shown) in [told["plan"] for told in world.of("state")]
    assert world.values["plan"] == list(mine)
    waits = [f"wait {n}000" for n in range(1, 7)]
    assert world.browser.log == [f"navigate {SITE}", *waits, "read_page 1"]
    assert "not understand" not in (answer or "")


async def test_after_the_limit_it_goes_on_where_it_was() -> None:
    world = operator(max_tool_steps=2)
    paused = await world.say(f"open {SITE}, click Blue kettle, type Ada into Name")
    assert paused is not None
    assert "?" in paused
    await world.say("continue")
    assert world.browser.log == [f"navigate {SITE}", "click Blue kettle", "type Name=Ada"]


async def test_a_new_request_after_unfinished_work_has_a_plan_of_its_own() -> None:
    world = operator(max_tool_steps=2)
    await world.say(f"open {SITE}, click Blue kettle, scroll down")
    answer = await world.say("read the page")
    assert answer is not None
    assert "The page is" in answer
    assert world.values["current_goal"] == "read the page"
    assert world.values["plan"] == ["Read the page", "Check what was found", "Answer"]


async def test_words_in_the_middle_are_added_to_the_task() -> None:
    world = operator()
    world.inbox.news = [UserUpdates(), UserUpdates(), UserUpdates(messages=("type Ada into Name",))]
    await world.say(f"open {SITE}, click Blue kettle")
    assert world.browser.log == [f"navigate {SITE}", "click Blue kettle", "type Name=Ada"]
    assert "Type “Ada” into “Name”" in world.values["plan"]
    assert len(world.values["plan"]) == 4


async def test_words_with_a_refusal_replace_what_is_left_of_the_task() -> None:
    world = operator()
    await world.say(f"open {SITE}, click Place order")
    assert (world.question or {})["kind"] == "confirm"
    await world.answer(False, "click Red kettle")
    assert world.browser.log == [f"navigate {SITE}", "click Red kettle"]


async def test_a_refusal_without_an_instruction_ends_with_what_was_refused() -> None:
    world = operator()
    await world.say(f"open {SITE}, click Place order")
    answer = await world.answer(False, "use the red kettle")
    assert world.browser.log == [f"navigate {SITE}"]
    assert "Not done, because you refused it: Click “Place order”." in (answer or "")
    assert "do not try it again" not in (answer or ""), "what is said to a model is not told to the person"
    assert "You wrote: “use the red kettle”." in (answer or ""), "the note was read"


@pytest.mark.parametrize(
    ("task", "said"),
    [
        (
            "открой example.com и прочитай страницу",
            "Не получилось: открыть example.com. Почему, сказано у этого шага.",
        ),
        (
            "öffne example.com und lies die Seite",
            "Das ging nicht: example.com öffnen. Warum, steht bei dem Schritt.",
        ),
    ],
)
def test_what_did_not_work_is_said_without_the_english_reason_that_stands_at_its_step(
    task: str, said: str
) -> None:
    step = plan_next(task, DemoProgress(failure="The page was not found (404)."), None)
    assert isinstance(step, FinalAnswer)
    assert said in step.text.replace("https://", "")
    assert "404" not in step.text


async def test_a_russian_yes_or_no_question_is_answered_from_the_page() -> None:
    (command,) = read_request("закрыт ли музей по понедельникам?").commands
    assert command.kind == "ask"
    assert "музей" in command.text


async def test_a_login_is_handed_to_the_person() -> None:
    world = operator()
    assert await world.say(f"open {SITE} then log in then click Blue kettle") is None
    assert world.question is not None
    assert world.question["kind"] == "manual"
    assert await world.answer(True) is not None
    assert world.browser.log[-1] == "click Blue kettle"


async def test_a_question_is_answered_with_the_sentence_and_the_row_that_match_it() -> None:
    world = operator()
    answer = await world.say(f"open {SITE}blue and tell me about the price in 2024")
    assert world.browser.log == [f"navigate {SITE}blue", "read_page 1 price 2024"]
    assert answer is not None
    assert "| Year | Price |\n| --- | --- |\n| 2024 | 43.90 |" in answer
    assert "39.90" not in answer


async def test_what_could_not_be_done_stays_open_in_the_plan_and_the_answer_says_so() -> None:
    world = operator()
    world.browser.failing["navigate"] = "The page was not found (404)."
    answer = await world.say(f"open {SITE}, click Blue kettle")
    assert answer is not None
    assert answer.startswith(
        f"This did not work: Open {SITE}. The page was not found (404).\n\nNot done: Click “Blue kettle”."
    )
    assert world.of("outcome") == [{"outcome": "blocked"}]
    progress = world.values["progress"]
    assert (progress["current"], progress["done"], progress["blocked"][-1]) == (0, [], f"Open {SITE}")
    world.browser.failing.clear()
    await world.say(f"open {SITE}")
    assert world.of("outcome")[-1] == {"outcome": "done"}
    assert (world.values["progress"]["current"], world.values["progress"]["blocked"]) == (3, [])


@pytest.mark.parametrize(
    ("wish", "start"),
    [
        ("book me a flight", "The built-in demo cannot do this"),
        ("find me a cheap hotel", "The built-in demo cannot do this"),
        ("buy a kettle", "The built-in demo cannot do this"),
        ("забронируй мне билет", "Встроенное демо этого не умеет"),
        ("найди мне дешёвый отель", "Встроенное демо этого не умеет"),
    ],
)
async def test_a_wish_without_a_page_is_said_to_be_beyond_the_demo_model(wish: str, start: str) -> None:
    world = operator()
    answer = await world.say(wish)
    assert answer is not None
    assert answer.startswith(start)
    assert answer.count("](/settings/models)") == 1, "one link, to where a model is connected"
    assert "open example.com" in answer or "открой example.com" in answer
    assert world.of("outcome") == [{"outcome": "blocked"}]
    assert world.browser.log == []


async def test_what_was_not_done_is_said_in_a_sentence_of_its_language() -> None:
    world = operator()
    world.browser.failing["navigate"] = "The page was not found (404)."
    answer = await world.say(f"открой {SITE}, нажми «Blue kettle» и прочитай страницу")
    assert answer is not None
    assert f"Не получилось: открыть {SITE}." in answer
    assert "Не сделано: нажать «Blue kettle»; прочитать страницу." in answer


async def test_what_is_not_on_the_page_is_not_answered_with_something_else() -> None:
    world = operator()
    answer = await world.say(f"open {SITE}blue and tell me about penguins")
    assert answer is not None
    assert answer.startswith("I did not find “penguins” on “blue”.")
    assert "whistles" not in answer
    progress = world.values["progress"]
    assert progress["blocked"] == ["I did not find “penguins” on “blue”.", "Find “penguins” on the page"]
    assert (progress["current"], progress["done"]) == (1, [f"Opened {SITE}blue"])
    assert world.of("outcome") == [{"outcome": "blocked"}]


async def test_several_pages_are_asked_in_one_sentence() -> None:
    world = operator()
    answer = await world.say(
        f"open {SITE}blue, tell me how many litres it holds, then open {SITE} and list the links"
    )
    assert answer is not None
    assert "“litres holds” on blue: It holds two litres." in answer
    assert "1. link “Blue kettle”\n2. link “Red kettle”" in answer


async def test_what_was_found_on_several_pages_is_one_list() -> None:
    world = operator()
    answer = await world.say(
        f"open {SITE}blue, tell me how many litres it holds, then tell me about whistling"
    )
    assert answer is not None
    assert answer.startswith(
        "- “litres holds” on blue: It holds two litres.\n- “whistling” on blue: Costs 43.90 and whistles."
    )


async def test_a_page_that_is_a_heading_only_is_told() -> None:
    world = operator()
    world.browser.texts[SITE + "blue"] = ["# Thank you, we will write to you"]
    answer = await world.say(f"open {SITE}blue and read the page")
    assert answer is not None
    assert "> **Thank you, we will write to you**" in answer


async def test_a_page_that_cannot_be_read_as_a_whole_is_answered_from_what_it_shows() -> None:
    world = operator()
    world.browser.texts.clear()
    answer = await world.say(f"open {SITE}blue and tell me about whistling")
    assert answer is not None
    assert "> Costs 43.90 and whistles." in answer


async def test_a_page_that_is_drawn_is_called_so() -> None:
    world = operator()
    world.browser.pages[SITE + "map"] = '- heading "Map" [level=1] [ref=e1]'
    world.browser.drawn = 0.5
    answer = await world.say(f"open {SITE}map")
    assert answer is not None
    assert "nothing in the drawing can be read as text" in answer
    world.browser.drawn = 0.0
    assert "drawing" not in (await world.say(f"open {SITE}blue") or "drawing")


UPLOAD = "http://upload.example/"


def operator_with_files(folder: Path, *names: str) -> World:
    """A page with a field for a file, and files in the session."""
    for name in names:
        (folder / name).write_text("x")
    world = operator(files=folder)
    world.browser.pages[UPLOAD] = '- button "Your file" [ref=e1] [box=10,10,100,20]\n- button "Send" [ref=e2]'
    world.browser.extra = Extra(uploads=((10, 10, 100, 20),))
    return world


@pytest.mark.parametrize(
    ("task", "file"),
    [
        (f"open {UPLOAD}, click Your file\n\nAttached files: note.txt", "note.txt"),
        (f"open {UPLOAD} and upload other.txt to Your file", "other.txt"),
        (f"открой {UPLOAD} и загрузи note.txt в «Your file»", "note.txt"),
    ],
)
async def test_an_attached_file_is_uploaded_after_a_question_that_says_so(
    task: str, file: str, tmp_path: Path
) -> None:
    world = operator_with_files(tmp_path, "note.txt", "other.txt")
    assert await world.say(task) is None
    assert world.browser.log == [f"navigate {UPLOAD}"]
    assert world.question is not None
    assert world.question["reason"] == "hands a file to the page"
    assert world.question["action"]["file"] == file
    await world.answer(True)
    assert world.browser.log == [f"navigate {UPLOAD}", f"upload {tmp_path / file}"]


async def test_it_asks_which_of_several_files_and_for_one_where_there_is_none(tmp_path: Path) -> None:
    world = operator_with_files(tmp_path, "note.txt", "other.txt")
    answer = await world.say(f"open {UPLOAD}, click Your file")
    assert answer is not None
    assert answer.startswith("Which file? Name one of: ")
    (tmp_path / "note.txt").unlink()
    (tmp_path / "other.txt").unlink()
    answer = await world.say(f"open {UPLOAD}, click Your file")
    assert answer is not None
    assert "takes a file, and none is attached" in answer


TWO = "http://two.example/"
TWO_LOGINS = '- button "Log in" [ref=e1]\n- heading "Welcome" [level=1] [ref=e2]\n- link "Log in" [ref=e3]\n- link "Help" [ref=e4]'


def operator_with_two_logins() -> World:
    world = operator()
    world.browser.pages[TWO] = TWO_LOGINS
    world.browser.leads[(TWO, "Help")] = SITE
    return world


async def test_it_asks_which_of_two_elements_is_meant_and_takes_the_one_that_is_named() -> None:
    world = operator_with_two_logins()
    assert await world.say(f"open {TWO}, click Log in, then click Help") is None
    assert world.browser.log == [f"navigate {TWO}"]
    assert world.question is not None
    assert world.question["kind"] == "manual"
    assert world.question["wants"] == "answer"
    assert "2. link “Log in”" in world.question["reason"]
    answer = await world.reply("the second")
    clicked = [call["args"]["element"] for call in world.of("tool_start") if call["name"] == "click"]
    assert clicked == ['link "Log in"', 'link "Help"']
    assert world.browser.log == [f"navigate {TWO}", "click Log in", "click Help"]
    assert answer is not None
    assert answer.startswith("Clicked “Help”.")


async def test_the_element_that_the_user_clicked_is_not_clicked_again() -> None:
    world = operator_with_two_logins()
    await world.say(f"open {TWO}, click Log in, then click Help")
    answer = await world.answer(True)
    assert world.browser.log == [f"navigate {TWO}", "click Help"]
    assert answer is not None
    assert answer.startswith("Clicked “Help”.")


async def test_an_element_is_meant_by_its_number() -> None:
    world = operator()
    await world.say(f"open {SITE} and click the second link")
    assert world.browser.log == [f"navigate {SITE}", "click Red kettle"]


async def test_a_number_that_is_too_high_is_told() -> None:
    world = operator()
    answer = await world.say(f"open {SITE} and click the fifth link")
    assert world.browser.log == [f"navigate {SITE}"]
    assert answer is not None
    assert answer.startswith("This is not on the page: the 5th link. I see 2 of that kind.")


async def test_no_icon_is_left_out_of_what_it_can_see() -> None:
    world = operator()
    world.browser.pages[SITE] = "\n".join(
        [
            '- heading "Editor" [level=1] [ref=e1]',
            *(f"- button [ref=e{n}]" for n in range(2, 5)),
            '- button "Save" [ref=e9]',
        ]
    )
    answer = await world.say(f"open {SITE} and click Bold")
    assert answer is not None
    assert (
        "button without a name (Editor), button without a name (Editor #2), button without a name (Editor #3)"
        in answer
    )
    assert "button “Save”" in answer


async def test_without_an_open_page_it_asks_for_one() -> None:
    world = operator(is_open=False)
    answer = await world.say("what does it say about prices?")
    assert world.browser.log == []
    assert answer is not None
    assert answer.startswith("No page is open.")


async def test_a_search_without_a_search_field_is_a_question_about_the_page() -> None:
    world = operator()
    answer = await world.say(f"open {SITE}blue and find the litres")
    assert world.browser.log == [f"navigate {SITE}blue", "read_page 1 litres"]
    assert answer is not None
    assert "> It holds two litres." in answer


@pytest.mark.parametrize(
    ("words", "first", "later"),
    [
        ("hello", "Hello! Tell me which page to open", "Hello again!"),
        ("Hi there!", "Hello! Tell me which page to open", "Hello again!"),
        ("thank you", "You are welcome.", "You are welcome."),
        ("great, thanks a lot!", "You are welcome.", "You are welcome."),
        ("ok", "Good.", "Good."),
        ("bye", "Goodbye!", "Goodbye!"),
        ("привет", "Здравствуйте! Скажите, какую", "И снова здравствуйте!"),
        ("Привет, как дела?", "Здравствуйте! Скажите, какую", "И снова здравствуйте!"),
        ("спасибо большое!", "Пожалуйста!", "Пожалуйста!"),
    ],
)
async def test_a_greeting_or_thanks_is_answered_in_kind_and_is_no_task(
    words: str, first: str, later: str
) -> None:
    world = operator()
    answer = await world.say(words)
    assert answer is not None
    assert answer.startswith(first)
    assert len(answer) < 350, "no list of commands"
    assert not world.values.get("plan"), "nothing to work off"
    again = await world.say(words)
    assert again is not None
    assert again.startswith(later)
    assert len(again) < 100
    assert world.browser.log == []
    reply = await agent(playwright_tools(browser())).ainvoke({"messages": [HumanMessage(words)]})
    assert reply["messages"][-1].text == answer, "the assistant says the same"


@pytest.mark.parametrize("words", ["Book me a flight to Rome", "what can you do?"])
async def test_what_it_cannot_do_it_says_plainly(words: str) -> None:
    world = operator()
    answer = await world.say(words)
    assert answer is not None
    assert "built-in demo" in answer
    assert world.browser.log == []


# With the assistant: the tools of a browser's MCP server


def agent(tools: list[StructuredTool]) -> Any:
    return create_agent(quick_demo(), tools=tools, system_prompt="You are an assistant.")


def playwright_tools(door: ScriptedBrowser, **more: str) -> list[StructuredTool]:
    async def call(name: str, **args: Any) -> str:
        if name == "read_page":
            reading = await door.read_page(1, str(args.get("query") or ""))
            return f"{reading.about}\n<untrusted-page>\n{reading.text}\n</untrusted-page>"
        outcome = await door.call(name, args)
        return f"{outcome.text}\nPage: {door.url}\n<untrusted-page>\n{door.pages.get(door.url, '')}\n</untrusted-page>"

    schemas = {
        "browser_navigate": ["url"], "browser_snapshot": [], "browser_click": ["element", "target"],
        "browser_type": ["element", "target", "text", "submit"], "browser_press_key": ["key"],
        "browser_navigate_back": [], "browser_take_screenshot": [], "read_page": ["query"],
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
    assert door.log == [f"navigate {SITE}", "click Blue kettle", "read_page 1"]
    assert "Costs 43.90 and whistles." in answer


async def test_the_assistant_looks_at_the_page_before_it_acts_on_it() -> None:
    door = browser()
    door.url = SITE
    await ask(agent(playwright_tools(door)), "type kettle into Search")
    assert door.log == ["browser_snapshot", "type Search=kettle"]


async def test_the_assistant_answers_questions_and_asks_which_element_is_meant() -> None:
    door = browser()
    door.pages[TWO] = TWO_LOGINS
    assistant = agent(playwright_tools(door))
    task = f"open {SITE}blue, tell me how many litres it holds, open {TWO} and click Log in"
    asked = await ask(assistant, task)
    assert "1. button “Log in”\n2. link “Log in”" in asked
    assert door.log[-1] == f"navigate {TWO}"
    history = (await assistant.ainvoke({"messages": [HumanMessage(task)]}))["messages"]
    result = await assistant.ainvoke({"messages": [*history, HumanMessage("2")]})
    assert door.log[-1] == "click Log in"
    assert "It holds two litres." in result["messages"][-1].text


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
    assert "This did not work: Open https://nowhere.example" in answer
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


def test_the_demo_model_foresees_the_buttons_that_it_is_told_to_press() -> None:
    told = foresee('Task: open http://127.0.0.1:8000/cart, then click "Place order"')
    assert [(one["site"], one["kind"]) for one in told["effects"]] == [
        ("http://127.0.0.1:8000/cart", "order")
    ]
    assert len(told["plan"]) == 3


@pytest.mark.parametrize(
    "text", ["", "42", "Ouvre la page", "Open „Über uns“ in the menu", "Відкрий сторінку"]
)
def test_a_language_that_it_does_not_speak_is_answered_in_english(text: str) -> None:
    assert Words(text).say("help").startswith("I am")


async def test_it_is_the_default_where_the_configured_model_leads_nowhere(tmp_path: Path) -> None:
    values = {"data_dir": tmp_path, "agent_model": "antropic:claude"}
    async with open_runtime(Settings.model_validate(values)) as world:
        assert world.models.default == "demo"
        world.models.check("demo", "model")
