"""A question survives the death of the process that asked it, on both databases."""

import subprocess
import sys

from scripts.shell import ROOT
from tests.support.databases import open_saver
from tests.support.operator_world import World
from tests.support.scripted_browser import BLANK
from tests.support.scripted_model import click, navigate, stop
from tests.unit.test_operator_consent import BUY, cart
from tests.unit.test_operator_graph import CART, THANKS

ASK_AND_DIE = """
import asyncio, os, sys
from tests.support.databases import open_saver
from tests.unit.test_operator_consent import BUY, cart

async def main():
    async with open_saver(sys.argv[1]) as saver:
        it = cart(BUY, checkpointer=saver)
        await it.say("buy it")
        print(it.question["reference"], flush=True)
        os._exit(137)

asyncio.run(main())
"""


def ask_and_die(database_url: str) -> str:
    """Another process asks and is gone; returns the question's reference."""
    done = subprocess.run(
        [sys.executable, "-c", ASK_AND_DIE, database_url],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 137, done.stderr
    return done.stdout.strip()


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
