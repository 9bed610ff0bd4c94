"""A question survives the death of the process that asked it, on both databases."""

import asyncio
import os
from collections.abc import Callable

from tests.support.databases import open_saver
from tests.support.operator_world import World
from tests.support.scripted_browser import BLANK
from tests.support.scripted_model import click, navigate, stop
from tests.support.server import Fork
from tests.unit.test_operator_consent import BUY, cart
from tests.unit.test_operator_graph import CART, THANKS


def _ask_and_die(database_url: str, tell: Callable[[str], None]) -> None:
    async def ask() -> None:
        async with open_saver(database_url) as saver:
            it = cart(BUY, checkpointer=saver)
            await it.say("buy it")
            tell((it.question or {})["reference"])
            os._exit(137)

    asyncio.run(ask())


def ask_and_die(database_url: str) -> str:
    """Another process asks and is gone; returns the question's reference."""
    exit_code, reference = Fork(_ask_and_die, (database_url,)).end()
    assert exit_code == 137, reference
    return reference


async def answered(it: World, reference: str, *, confirmed: bool) -> World:
    it.question = {"reference": reference}
    await it.answer(confirmed)
    return it


async def test_a_yes_acts_once_on_the_same_page(database_url: str) -> None:
    reference = ask_and_die(database_url)
    async with open_saver(database_url) as saver:
        it = await answered(cart(stop("Ordered."), checkpointer=saver), reference, confirmed=True)
        assert it.browser.effects == [f"Place order -> {THANKS}"]
        assert it.values["final_response"] == "Ordered."


async def test_a_yes_on_a_lost_page_asks_anew_and_the_new_yes_counts(database_url: str) -> None:
    reference = ask_and_die(database_url)
    async with open_saver(database_url) as saver:
        it = cart(navigate(CART), BUY, stop("Ordered."), checkpointer=saver, url=BLANK)
        await answered(it, reference, confirmed=True)
        assert it.browser.effects == []
        assert it.question is not None
        assert it.question["reference"] != reference
        assert await it.answer(True) == "Ordered."
        assert len(it.browser.effects) == 1


async def test_a_no_never_acts(database_url: str) -> None:
    reference = ask_and_die(database_url)
    async with open_saver(database_url) as saver:
        it = await answered(cart(click("Place order"), checkpointer=saver), reference, confirmed=False)
        assert it.browser.effects == []
        assert it.values["outcome"] == "cancelled"
