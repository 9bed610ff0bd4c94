"""A task that begins with "open <address>" is begun by rule; the model is asked once the page is there."""

import pytest

from server.agent.context import UserUpdates
from server.agent.gate.gate import Gate
from server.agent.operator.memory.state import State
from server.agent.operator.plan.opening import address_to_open
from server.agent.operator.plan.prompts import NO_PLAN
from server.browser.observation import Observation, observe_snapshot
from server.browser.observation.page import Page
from tests.support.operator_world import World, world
from tests.support.scripted_model import click, navigate, stop
from tests.unit.test_operator_graph import CART, LEADS, PAGES, SHOP

BLANK = Observation(page=Page(url="about:blank", title=""))


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("open https://a.example/x and tell me the price", "https://a.example/x"),
        ("Open https://a.example/x?y=1#z: which is the cheapest?", "https://a.example/x?y=1#z"),
        ("Please go to the page at http://127.0.0.1:8000/a.", "http://127.0.0.1:8000/a"),
        ("visit https://a.example/x, then log in but do not buy anything", "https://a.example/x"),
        ("open https://a.example/x\nand tell me the price", "https://a.example/x"),
        ("Открой сайт https://a.example/ и скажи цену", "https://a.example/"),
        ("Пожалуйста, перейдите на https://a.example/каталог", None),  # where it ends is not clear
        ("зайди на https://a.example/docs, затем найди цену", "https://a.example/docs"),
        ("открой https://a.example/", "https://a.example/"),
    ],
)
def test_the_address_that_a_message_begins_by_asking_to_open_is_opened(
    text: str, address: str | None
) -> None:
    assert address_to_open(State.read({"user_message": text}), BLANK) == address


@pytest.mark.parametrize(
    "text",
    [
        # another wish than to open it
        "do not open https://a.example/",
        "Не открывай https://a.example/",
        "open https://a.example/? No, do not open it",
        "open https://a.example/, no, don't open it",
        "открой https://a.example/, хотя нет, не открывай",
        "open none of these: https://a.example/",
        "is https://a.example/ safe to open?",
        "open https://a.example/?",
        "open https://a.example/ only if Bob agrees",
        "open https://a.example/, but only after you have read the plan",
        "открой https://a.example/, если Боб согласен",
        "open https://a.example/ or wait",
        "open https://a.example/ tomorrow",
        # several addresses
        "open https://a.example/ and https://b.example/",
        "open https://a.example/ and www.b.example",
        # quoted, or inside of a longer text
        'open "https://a.example/"',
        "open «https://a.example/»",
        "open `https://a.example/`",
        "open (https://a.example/)",
        "open <https://a.example/>",
        "write to Bob: open https://a.example/",
        "> open https://a.example/",
        "https://a.example/ is a phishing page: warn Bob",
        # no address of a page
        "open bob@a.example",
        "open mailto:bob@a.example",
        "open javascript:alert(1)",
        "open a.example",
        "open the settings",
        "open https://",
        "open https://[/",
        "open https://пример.рф/",
        "",
        # a login, a key of one person, an effect
        "open https://bob:secret@a.example/",
        "open https://bob@a.example/",
        "open https://a.example/?token=abc",
        "open https://a.example/?x=1&api_key=abc",
        "open https://a.example/cb?code=4711",
        "open https://a.example/#access_token=abc",
        "open https://a.example/reset/3f9ac07be1d24c55a8f2",
        "open https://a.example/?q=3f9ac07be1d24c55a8f2",
        "open https://a.example/orders/7/cancel",
    ],
)
def test_in_all_other_words_the_model_decides(text: str) -> None:
    assert address_to_open(State.read({"user_message": text}), BLANK) is None


def test_where_a_page_is_open_or_something_was_done_the_model_decides() -> None:
    asked = f"open {SHOP}"
    assert address_to_open(State.read({"user_message": asked}), BLANK) == SHOP
    assert address_to_open(State.read({"user_message": asked}), observe_snapshot("", url=CART)) is None
    assert address_to_open(State.read({"user_message": asked, "tool_steps": 1}), BLANK) is None
    heard = State.read({"user_message": asked, "steps": ["the user said: wait"]})
    assert address_to_open(heard, BLANK) is None


def fresh(*turns: object, **options: object) -> World:
    return world(dict(PAGES), turns, leads=dict(LEADS), url="about:blank", **options)


async def test_the_model_is_first_asked_on_the_opened_page_and_the_act_is_a_step_like_any_other() -> None:
    it = fresh(click("Kettle"), stop("Done."))
    assert await it.say(f"Open {SHOP}: look at the kettle") == "Done."
    assert it.browser.log == [f"navigate {SHOP}", "click Kettle"]
    assert len(it.model.prompts) == 2
    assert "1. navigate (here): ok" in it.model.prompts[0]
    assert f"URL: {SHOP}" in it.model.prompts[0]
    assert [bool(end["ok"] and end["screenshot"]) for end in it.of("tool_end")] == [True, True]
    assert it.values["tool_steps"] == 2
    assert it.of("tool_end")[0]["trail"]["verdict"] == "allow"


async def test_an_address_that_cannot_be_opened_is_told_to_the_model_and_not_tried_again() -> None:
    it = fresh(navigate(CART), stop("Done."))
    it.browser.failing = {f"navigate {SHOP}": "The page was not found (404)."}
    assert await it.say(f"open {SHOP}") == "Done."
    assert it.browser.log == [f"navigate {SHOP}", f"navigate {CART}"]
    assert f"failed: navigate {SHOP}: The page was not found (404)." in it.model.prompts[0]


async def test_the_rule_passes_the_gate_as_a_move_of_the_model_does() -> None:
    it = fresh(stop("Done."), gate=Gate(blocked_hosts=("shop.example",)))
    await it.say(f"open {SHOP}")
    assert (it.values["outcome"], it.browser.log, it.model.prompts) == ("denied", [], [])


async def test_the_rule_counts_as_a_step_at_the_limit() -> None:
    it = fresh("I opened it. Shall I go on?", max_tool_steps=1)
    await it.say(f"open {SHOP}")
    assert (it.values["outcome"], it.browser.log) == ("limit", [f"navigate {SHOP}"])


async def test_what_the_user_says_before_the_page_is_opened_leaves_it_to_the_model() -> None:
    it = fresh(stop("Not opened."))
    it.inbox.news = [UserUpdates(), UserUpdates(messages=("wait, another address first",))]
    assert await it.say(f"open {SHOP}") == "Not opened."
    assert it.browser.log == []


async def test_a_plan_is_still_asked_for_and_made() -> None:
    it = fresh(click("Kettle", plan=["Look at the kettle", "Say its price"]), stop("Done."))
    await it.say(f"open {SHOP} and tell me what the kettle costs")
    assert NO_PLAN in it.model.prompts[0]
    assert it.values["plan"][0] == "Look at the kettle"
