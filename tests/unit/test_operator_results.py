"""The operator collects the rows of a table: with their source, checked, never invented, once each."""

from typing import Any

import pytest

from tests.support.operator_world import World, world
from tests.support.scripted_model import act, navigate, stop

SHOP = "https://shop.example/"
MORE = "https://user:pass@shop.example/more"
PAGE = """\
- heading "Kettles" [level=1] [ref=e1] [box=0,0,200,20]
- listitem [ref=e2] [box=0,30,200,20]: Amber kettle €43.90
- listitem [ref=e3] [box=0,60,200,20]: Blue kettle sold out
- link "Amber" [ref=e4] [box=0,90,200,20]:
  - /url: /kettle/amber"""
PAGES = {SHOP: PAGE, MORE: "- paragraph [ref=m1] [box=0,0,200,20]: Red kettle €12"}
ASKED = {"type": "object", "properties": {"name": {"type": "string"}, "price": {"type": "number"}}}
AMBER = {"name": "Amber kettle", "price": 43.9}
BLUE = {"name": "Blue kettle", "missing": {"price": "sold out"}}


def record(*rows: Any, **more: Any) -> dict[str, Any]:
    return act("record", rows=list(rows), **more)


def shop(*turns: Any, **options: Any) -> World:
    return world(PAGES, turns, url=SHOP, **options)


def rows_of(it: World) -> list[dict[str, Any]]:
    return [row for ended in it.of("tool_end") for row in (ended.get("result") or {}).get("rows", [])]


async def test_rows_are_recorded_with_address_time_and_picture_and_without_a_browser_call() -> None:
    it = shop(
        record(AMBER, BLUE), navigate(MORE), record({"name": "Red kettle", "price": "12"}), stop("Three.")
    )
    assert await it.say("list the kettles", result_schema=ASKED) == "Three."
    amber, blue, red = rows_of(it)
    assert amber["values"] == AMBER
    assert (amber["url"], amber["screenshot"]) == (SHOP, "/shots/1.jpg")
    assert amber["at"].endswith("Z")
    assert blue["values"] == {"name": "Blue kettle", "price": None}
    assert blue["missing"] == {"price": "sold out"}
    assert red["url"] == "https://shop.example/more"
    assert red["screenshot"] != amber["screenshot"]
    assert not any("unverified" in row for row in (amber, blue, red))
    assert it.browser.log == [f"navigate {MORE}"]
    assert len({row["id"] for row in (amber, blue, red)}) == 3
    assert it.spoken == "Three."


async def test_other_tasks_pay_nothing_for_it() -> None:
    it = shop(stop("Hi"), stop("Hi"), stop("none"))
    await it.say("hi")
    assert "Table:" not in it.model.prompts[0]
    assert "record(rows)" not in it.model.prompts[0]
    await it.say("list", result_schema=ASKED)
    assert "record(rows)" in it.model.prompts[1]
    assert "Table: name (string), price (number); rows recorded: 0" in it.model.prompts[1]


async def test_the_prompt_shows_the_last_rows_and_their_number_alone() -> None:
    rows = [{"name": f"kettle {n}", "missing": {"price": "not shown"}} for n in range(5)]
    it = shop(record(*rows), stop("ok"))
    await it.say("list", result_schema=ASKED)
    assert "rows recorded: 5" in it.model.prompts[1]
    shown = it.model.prompts[1].partition("\n<rows>")[2].partition("</rows>")[0]
    assert "kettle 4" in shown
    assert "kettle 1" not in shown


async def test_a_row_that_does_not_fit_is_refused_and_the_model_learns_why() -> None:
    it = shop(record({"name": "Amber kettle", "price": "dear"}, BLUE), record(AMBER), stop("ok"))
    await it.say("list", result_schema=ASKED)
    assert "row 1: price: 'dear' is no number" in it.model.prompts[1]
    assert [row["values"]["name"] for row in rows_of(it)] == ["Blue kettle", "Amber kettle"]
    assert [ended["ok"] for ended in it.of("tool_end")] == [False, True]
    assert [ended["summary"].to("de") for ended in it.of("tool_end")] == [
        "1 von 2 Zeilen eingetragen, 1 in der Tabelle; nicht eingetragen; "
        "Zeile 1: price: 'dear' hat nicht den Typ number",
        "1 von 1 Zeilen eingetragen, 2 in der Tabelle",
    ]


async def test_null_without_a_reason_is_refused() -> None:
    it = shop(record({"name": "Blue kettle", "price": None}), record(BLUE), stop("ok"))
    await it.say("list", result_schema=ASKED)
    assert "price: there is no value and no reason for it" in it.model.prompts[1]
    assert len(rows_of(it)) == 1


async def test_a_value_that_was_not_shown_is_kept_as_unverified_and_said_so() -> None:
    it = shop(record({"name": "Amber kettle", "price": 19.9}, facts=["The kettle costs 19.9"]), stop("ok"))
    await it.say("list", result_schema=ASKED)
    assert rows_of(it)[0]["unverified"] == ["price"]
    assert "marked as unverified: price 19.9" in it.model.prompts[1]


async def test_what_was_read_or_noted_before_counts_as_shown() -> None:
    it = shop(
        act("read_page"), record({"name": "Green kettle", "price": 7}),
        navigate(MORE, facts=["Amber kettle costs 43.90"]), record(AMBER), stop("ok"),
    )  # fmt: skip
    it.browser.texts[SHOP] = ["| Green kettle | 7,00 |"]
    await it.say("list", result_schema=ASKED)
    assert [row.get("unverified") for row in rows_of(it)] == [None, None]


async def test_what_was_read_stays_for_the_next_rows() -> None:
    it = shop(act("read_page"), record(AMBER), record({"name": "Green kettle", "price": 7}), stop("ok"))
    it.browser.texts[SHOP] = ["| Green kettle | 7,00 |"]
    await it.say("list", result_schema=ASKED)
    assert "Green kettle | 7,00" in it.model.prompts[2]
    assert rows_of(it)[1].get("unverified") is None


async def test_rows_of_a_file_name_the_file_and_no_page(tmp_path: Any) -> None:
    (tmp_path / "list.csv").write_text("name,price\nGreen kettle,7\n")
    it = shop(
        act("read_file", file="list.csv"),
        record({"name": "Green kettle", "price": 7}),
        stop("ok"),
        files=tmp_path,
    )
    await it.say("list", result_schema=ASKED)
    row = rows_of(it)[0]
    assert row["file"] == "list.csv"
    assert "url" not in row
    assert "screenshot" not in row


async def test_equal_rows_are_recorded_once() -> None:
    it = shop(record(AMBER, AMBER), record({**AMBER, "name": "AMBER KETTLE"}, BLUE), stop("ok"))
    await it.say("list", result_schema=ASKED)
    assert [row["values"]["name"] for row in rows_of(it)] == ["Amber kettle", "Blue kettle"]


async def test_stop_without_rows_is_turned_back_once_and_nothing_of_it_is_streamed() -> None:
    it = shop(stop("Nothing here."), record(AMBER), stop("One."))
    assert await it.say("list", result_schema=ASKED) == "One."
    assert "the table has no row yet" in it.model.prompts[1]
    assert it.spoken == "One."


async def test_an_answer_without_rows_says_so() -> None:
    it = shop(stop("There are no kettles."), stop("Really none."))
    answer = await it.say("list", result_schema=ASKED)
    assert answer == "Really none.\n\nThe table is empty: no row was recorded."
    assert it.spoken == answer
    assert it.values["outcome"] == "done"


async def test_too_few_rows_are_turned_back_too() -> None:
    it = shop(record(AMBER), stop("One."), stop("There is only one."))
    asked = {"type": "array", "items": ASKED, "minItems": 2}
    answer = await it.say("list", result_schema=asked)
    assert "the table has 1 of at least 2 rows" in it.model.prompts[2]
    assert answer == "There is only one.\n\nThe table has 1 of 2 rows so far."


async def test_a_table_of_a_list_that_goes_on_is_a_part() -> None:
    it = shop(record(AMBER), stop("One."), stop("That is all I need."))
    it.browser.more.add(SHOP)
    answer = await it.say("list", result_schema=ASKED)
    assert "the list goes on after what was recorded" in it.model.prompts[2]
    assert answer == "That is all I need.\n\nThe table is a part: the list goes on after what was recorded."
    assert [ended["result"]["is_part"] for ended in it.of("tool_end") if ended.get("result")] == [True]


async def test_a_table_is_whole_once_the_list_was_read_to_its_end() -> None:
    def last(prompt: str) -> dict[str, Any]:
        it.browser.more.clear()
        return record(BLUE)

    it = shop(record(AMBER), last, stop("Two."))
    it.browser.more.add(SHOP)
    assert await it.say("list", result_schema=ASKED) == "Two."
    assert [ended["result"]["is_part"] for ended in it.of("tool_end")] == [True, False]


async def test_a_list_that_goes_on_after_the_last_row_that_was_asked_for_is_enough() -> None:
    it = shop(record(AMBER), stop("One."))
    it.browser.more.add(SHOP)
    asked = {"type": "array", "items": ASKED, "maxItems": 1}
    assert await it.say("list", result_schema=asked) == "One."
    assert [ended["result"]["is_part"] for ended in it.of("tool_end")] == [False]


async def test_each_list_is_read_to_its_own_end() -> None:
    other = "https://other.example/"
    it = shop(
        record(AMBER),
        navigate(other),
        record({"name": "Red kettle", "price": 12}),
        stop("Two."),
        stop("Two."),
    )
    it.browser.pages[other] = PAGES[MORE]
    it.browser.more.add(SHOP)
    await it.say("list", result_schema=ASKED)
    assert [ended["result"]["is_part"] for ended in it.of("tool_end") if ended.get("result")] == [True, True]


async def test_more_rows_than_asked_for_are_refused() -> None:
    it = shop(record(AMBER, BLUE), stop("One."))
    await it.say("list", result_schema={"type": "array", "items": ASKED, "maxItems": 1})
    assert len(rows_of(it)) == 1
    assert "the table is full" in it.model.prompts[1]


@pytest.mark.parametrize("words", ["continue", "also those that are sold out"])
async def test_at_a_limit_the_run_ends_with_its_rows_and_what_follows_goes_on_with_the_table(
    words: str,
) -> None:
    it = shop(record(AMBER), "Amber is done.", record(AMBER, BLUE), stop("Both."), max_tool_steps=1)
    answer = await it.say("list", result_schema=ASKED)
    assert answer is not None
    assert "The table has 1 of 1 rows so far." in answer
    it.max_tool_steps = 5
    assert await it.say(words) == "Both."
    assert [row["values"]["name"] for row in rows_of(it)] == ["Amber kettle", "Blue kettle"]


async def test_the_next_task_has_no_table() -> None:
    it = shop(record(AMBER), stop("One."), stop("Hello."))
    await it.say("list", result_schema=ASKED)
    assert await it.say("hello") == "Hello."
    assert "Table:" not in it.model.prompts[2]


async def test_record_is_no_action_where_no_table_was_asked_for() -> None:
    it = shop(record(AMBER), stop("ok"))
    await it.say("list")
    assert rows_of(it) == []
    assert "The task asks for no table" in it.model.prompts[1]


async def test_columns_with_other_letters_have_keys_that_providers_take() -> None:
    asked = {"type": "object", "properties": {"Название": {}, "Цена, ₽": {"type": "number"}}}
    it = shop(
        record({"c1": "Amber kettle", "c2": 43.9}, {"Название": "Blue kettle", "missing": {"c2": "нет"}}),
        stop("ok"),
    )
    await it.say("list", result_schema=asked)
    assert [row["values"] for row in rows_of(it)] == [
        {"Название": "Amber kettle", "Цена, ₽": 43.9},
        {"Название": "Blue kettle", "Цена, ₽": None},
    ]
