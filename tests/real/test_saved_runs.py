"""Runs that an earlier version has saved go on in this one, on both databases."""

from __future__ import annotations

from typing import Any

import pytest

from server.agent.operator import continuing
from server.events import read_question
from tests.support.databases import open_saver
from tests.support.operator_world import World, world
from tests.support.saved_runs import put_saved
from tests.support.scripted_browser import ScriptedBrowser
from tests.support.scripted_model import stop
from tests.unit.test_held_acts_of_agents import ORDER, PAGE, PICTURE, SENDS
from tests.unit.test_operator_consent import cart
from tests.unit.test_operator_graph import LEADS, PAGES, SHOP, THANKS

PLAN = ["Open the cart", "Order the kettle", "Say what was ordered"]


async def waiting(url: str, case: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Write the run; returns its open question, and the options of a world in which it was asked just now."""
    (question,) = [value[0].value for _, _, value in (await put_saved(url, case)).pending_writes or ()]
    asked_at = read_question(question).asked_at
    return question, {"clock": lambda: asked_at + 5}


async def test_a_yes_to_a_question_of_the_version_before_acts_once(database_url: str) -> None:
    question, options = await waiting(database_url, "confirm")
    async with open_saver(database_url) as saver:
        it = cart(stop("Ordered."), stop("Ordered."), checkpointer=saver, options=options)
        it.question = question
        assert (await it.answer(True) or "").startswith("Ordered.")
    assert it.browser.effects == [f"Place order -> {THANKS}"]
    assert it.values["plan"] == PLAN
    assert it.values["plan_edited"]
    assert [fact["fact"] for fact in it.values["facts"]] == [
        "The cart holds one kettle",
        "The kettle costs 59 euros",
    ]
    assert it.values["progress"] == {"current": 3, "done": ["opened the cart"], "blocked": []}
    assert "Table: name (" in it.model.prompts[0]
    assert it.values["deadline"] > options["clock"]()


async def test_a_no_to_a_question_of_the_version_before_never_acts(database_url: str) -> None:
    question, options = await waiting(database_url, "confirm")
    async with open_saver(database_url) as saver:
        it = cart(checkpointer=saver, options=options)
        it.question = question
        await it.answer(False)
    assert it.browser.effects == []
    assert it.values["outcome"] == "cancelled"


async def test_words_answer_a_manual_question_of_the_version_before(database_url: str) -> None:
    question, options = await waiting(database_url, "manual")
    async with open_saver(database_url) as saver:
        it = cart(stop("Blue it is."), checkpointer=saver, options=options)
        it.question = question
        assert await it.reply("the blue one") == "Blue it is."
    assert "the user said: the blue one" in it.model.prompts[0]
    assert it.values["plan"] == PLAN


async def test_a_yes_to_what_was_about_to_be_sent_before_the_update_is_bound_to_it(database_url: str) -> None:
    question, options = await waiting(database_url, "held")
    browser = ScriptedBrowser({PICTURE: PAGE}, {}, PICTURE, holding={"Zoom in": ORDER}, waits=False)
    async with open_saver(database_url) as saver:
        it = world({}, [stop("Done.")], checkpointer=saver, options=options)
        it.browser, it.question = browser, question
        assert await it.answer(True) == "Done."
    assert browser.effects == [SENDS]


async def test_an_act_that_the_version_before_may_have_begun_is_not_repeated(database_url: str) -> None:
    await put_saved(database_url, "acting")
    config: Any = {"configurable": {"thread_id": "s"}}
    async with open_saver(database_url) as saver:
        it = world(dict(PAGES), [stop("I looked.")], leads=dict(LEADS), url=SHOP, checkpointer=saver)
        saved = await it.graph.aget_state(config)
        assert saved.next == (continuing.ACTING,)
        update = continuing.restart(saved.values, saved.next)
        await it.graph.aupdate_state(config, update, as_node=continuing.RESTARTS_AFTER)
        assert await it.go_on() == "I looked."
    assert it.browser.log == []
    assert 'failed: click link "Kettle": another process took over' in it.model.prompts[0]


@pytest.mark.parametrize(("message", "goal"), [("continue", "buy the kettle"), ("and a cup", "and a cup")])
async def test_a_session_of_the_version_before_goes_on(database_url: str, message: str, goal: str) -> None:
    await put_saved(database_url, "ended")
    async with open_saver(database_url) as saver:
        it: World = cart(stop("Here."), checkpointer=saver)
        assert await it.say(message, message_id="next") == "Here."
    assert it.values["current_goal"] == goal
    assert "The kettle costs 59 euros" in it.model.prompts[0]
