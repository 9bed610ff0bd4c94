"""The demo model fills baskets, orders, replies and reads tables, and claims nothing that a page does not show."""

from __future__ import annotations

from typing import Any

import pytest

from server.extras.demo.errands import number_in, price_in, read_table
from server.extras.demo.model import DemoChatModel
from tests.support.operator_world import World
from tests.support.scripted_browser import ScriptedBrowser

SITE = "http://shop.example/"
LIST = (
    '- heading "Kettles" [level=1] [ref=e1]\n- link "Basket" [ref=e2]\n'
    '- link "Tide kettle" [ref=e3]\n- text: 39.90 EUR\n- button "Add to basket" [ref=e4]\n'
    '- link "Reef kettle" [ref=e5]\n- text: 29.50 EUR\n- button "Add to basket" [ref=e6]\n'
    '- link "Buoy mug" [ref=e7]\n- text: 8.90 EUR\n- button "Add to basket" [ref=e8]'
)
BASKET = '- heading "Basket" [level=1] [ref=e1]\n- text: Total 43.90 EUR\n- button "Place order" [ref=e2]'
DONE = '- heading "Thank you" [level=1] [ref=e1]\n- text: "Order number: HK-4711"'
PAGES = {
    SITE: LIST,
    f"{SITE}tide": '- heading "Tide kettle" [level=1] [ref=e1]\n- button "Add to cart" [ref=e2]\n- link "Cart" [ref=e3]',
    f"{SITE}names": '- heading "Kettles" [level=1] [ref=e1]\n- link "Tide kettle" [ref=e2]\n- link "Reef kettle" [ref=e3]',
    f"{SITE}basket": BASKET,
    f"{SITE}done": DONE,
    f"{SITE}silent": '- heading "Our shop" [level=1] [ref=e1]',
    f"{SITE}mail": '- link "Home" [ref=e1]\n- heading "Inbox" [level=1] [ref=e2]\n- text: Mara\n- link "Tea?" [ref=e3]\n'
    '- text: Jonas\n- link "Minutes of the meeting" [ref=e4]',
    f"{SITE}letter": '- heading "Tea?" [level=1] [ref=e1]\n- textbox "Reply" [ref=e2]\n- button "Send reply" [ref=e3]',
}
LEADS = {
    (SITE, "Basket"): f"{SITE}basket", (f"{SITE}basket", "Place order"): f"{SITE}done",
    (f"{SITE}names", "Tide kettle"): f"{SITE}tide", (f"{SITE}tide", "Cart"): f"{SITE}basket",
    (f"{SITE}mail", "Tea?"): f"{SITE}letter", (f"{SITE}mail", "Minutes of the meeting"): f"{SITE}letter",
}  # fmt: skip
TABLE = """# Prices

| Product | Item number | Price | In stock |
| --- | --- | --- | --- |
| Tide kettle | HK-101 | 1.039,90 EUR | 12 |
| Reef kettle | HK-102 | 46,50 EUR | – |"""
TEXTS = {f"{SITE}table": [TABLE], f"{SITE}done": ["# Thank you\n\nOrder number: HK-4711"]}


def world(leads: dict[tuple[str, str], str] = LEADS) -> World:
    pages = PAGES | {f"{SITE}table": '- heading "Prices" [level=1] [ref=e1]'}
    return World(ScriptedBrowser(pages, dict(leads), texts=dict(TEXTS)), DemoChatModel(delay=0))  # type: ignore[arg-type]


async def approved(world: World, task: str, **more: Any) -> str:
    """The answer, with a yes to each question."""
    answer = await world.say(task, **more)
    for _ in range(3):
        if answer is not None:
            return answer
        answer = await world.answer(True)
    raise AssertionError("it asks again and again")


@pytest.mark.parametrize(
    "task",
    [
        f"open {SITE}, add the Reef kettle to the basket and place the order",
        f"open {SITE}, order the cheapest kettle",
        f"открой {SITE} и закажи самый дешёвый kettle",
    ],
)
async def test_an_order_goes_through_the_basket_and_names_its_number(task: str) -> None:
    shop = world()
    answer = await approved(shop, task)
    assert shop.browser.log == [
        f"navigate {SITE}",
        "click Add to basket",
        "click Basket",
        "click Place order",
    ]
    assert "HK-4711" in answer
    assert shop.of("outcome") == [{"outcome": "done"}]


async def test_what_has_no_button_in_the_list_is_opened_first() -> None:
    shop = world()
    await approved(shop, f"open {SITE}names, add the Tide kettle to the cart and place the order")
    assert shop.browser.log[1:] == [
        "click Tide kettle",
        "click Add to cart",
        "click Cart",
        "click Place order",
    ]
    assert shop.values["progress"]["done"][1:] == ["Put “Tide kettle” into the basket", "Placed the order"]


async def test_an_order_that_the_page_does_not_confirm_is_not_said_to_be_placed() -> None:
    shop = world(LEADS | {(f"{SITE}basket", "Place order"): f"{SITE}silent"})
    answer = await approved(shop, f"open {SITE}basket and place the order")
    assert answer.startswith("The order was sent, and the page does not confirm it")
    assert shop.of("outcome") == [{"outcome": "blocked"}]


async def test_what_follows_something_that_is_not_understood_is_not_done() -> None:
    shop = world()
    answer = await approved(shop, f"open {SITE}basket, frobnicate the total and place the order")
    assert shop.browser.log == [f"navigate {SITE}basket"]
    assert "I did not understand: frobnicate the total." in answer
    assert "Not done: place the order." in answer
    assert shop.values["plan"][:3] == [f"Open {SITE}basket", "frobnicate the total", "place the order"]
    assert shop.values["progress"]["current"] == 1
    assert shop.of("outcome") == [{"outcome": "blocked"}]


@pytest.mark.parametrize(
    ("task", "opened"),
    [("reply to the newest mail with “Friday”", "Tea?"), ("reply to Jonas: Friday", "Minutes of the meeting"),
     ("ответь на последнее письмо: «Friday»", "Tea?")],
)  # fmt: skip
async def test_a_reply_opens_the_mail_writes_and_sends(task: str, opened: str) -> None:
    post = world()
    await approved(post, f"{'открой' if 'ответь' in task else 'open'} {SITE}mail; {task}")
    assert post.browser.log[1:] == [f"click {opened}", "type Reply=Friday", "click Send reply"]


async def test_a_reply_without_words_asks_for_them() -> None:
    post = world()
    answer = await approved(post, f"open {SITE}mail and reply to the newest mail")
    assert answer.startswith("What shall I write?")
    assert post.browser.log == [f"navigate {SITE}mail"]


COLUMNS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"Name": {"type": "string"}, "Цена": {"type": "number"}, "Stock": {"type": "integer"}},
        "required": ["Name", "Цена", "Stock"],
    },
}


async def test_a_table_whose_headings_match_fills_the_columns() -> None:
    shop = world()
    answer = await approved(shop, f"open {SITE}table and read the table", result_schema=COLUMNS)
    rows = [row for ended in shop.of("tool_end") for row in (ended.get("result") or {}).get("rows", [])]
    assert [row["values"] for row in rows] == [
        {"Name": "Tide kettle", "Цена": 1039.9, "Stock": 12}, {"Name": "Reef kettle", "Цена": 46.5, "Stock": None},
    ]  # fmt: skip
    assert answer.startswith("The table is filled")


async def test_a_table_with_other_headings_is_said_so_without_inner_words() -> None:
    shop = world()
    asked = {
        "type": "array",
        "items": {"type": "object", "properties": {"Phone": {"type": "string"}}, "required": ["Phone"]},
    }
    answer = await approved(shop, f"open {SITE}table", result_schema=asked)
    assert (
        "no table with these columns: Phone. Its headings: Product, Item number, Price, In stock." in answer
    )
    assert "stop" not in answer
    assert shop.of("outcome") == [{"outcome": "blocked"}]


async def test_columns_named_in_the_task_are_shown_in_the_answer() -> None:
    shop = world()
    answer = await approved(shop, f"open {SITE}table and read the table into columns product and price")
    assert "| Tide kettle | 1.039,90 EUR |" in answer


@pytest.mark.parametrize(
    ("text", "number"),
    [("39.90 EUR", 39.9), ("1.039,90", 1039.9), ("1,039", 1039), ("12", 12), ("-3,5 °C", -3.5), ("–", None)],
)
def test_numbers_of_cells(text: str, number: float | None) -> None:
    assert number_in(text) == number


def test_a_price_is_not_any_number() -> None:
    assert price_in("1.7 | 2200 | 39.90 EUR") == 39.9
    assert price_in("€ 12") == 12
    assert price_in("12 in stock") is None


def test_a_table_that_matches_less_than_half_is_no_match() -> None:
    asked = {name: {"type": "string"} for name in ("Price", "Phone", "Street")}
    assert read_table(TABLE, asked).rows == ()
