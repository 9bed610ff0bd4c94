"""What five tasks cost a new user: clicks, words typed, seconds waited.

    python -m bench.ui.newcomer

The web UI of a new server in a real Chromium, the demo model, a real browser, a small site. A click, a tap on Enter and a
field that is filled are counted where they happen; the wait of a task is the time until its answer, less the person's own.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from playwright.sync_api import Locator, expect, sync_playwright

from bench.ui.felt import DEMO
from tests.e2e.conftest import DESKTOP, FLAGS, executable
from tests.e2e.screen import Screen
from tests.support.server import serving
from tests.support.sites import Site
from tests.support.walk_site import SENTENCE, open_walk

PATIENCE = 60_000


@dataclass
class Newcomer:
    """A person at the screen, whose work is counted."""

    screen: Screen
    clicks: int = 0
    words: int = 0
    waited: float = 0.0
    questions: int = 0

    def click(self, place: Locator) -> None:
        self._await(place)
        place.click()
        self.clicks += 1

    def write(self, place: Locator, text: str) -> None:
        self._await(place)
        place.fill(text)
        self.words += len(text.split())

    def ask(self, text: str) -> None:
        """A new session with this task, sent with Enter."""
        self.screen.open()
        self.write(self.screen.composer, text)
        self.screen.composer.press("Enter")

    def see(self, place: Locator) -> None:
        self._await(place)

    def answer(self, button: str) -> None:
        """On the card of a question."""
        self.questions += 1
        self.click(self.screen.button(button))

    def _await(self, place: Locator) -> None:
        """Until it is there; counted as a wait."""
        began = time.monotonic()
        expect(place).to_be_visible()
        expect(place).to_be_enabled()
        self.waited += time.monotonic() - began


def find_and_compare(person: Newcomer, site: Site) -> None:
    kettle = site.url("/kettle")
    person.ask(f"open {kettle}/amber and tell me the price, then open {kettle}/blue and tell me the price")
    person.see(person.screen.feed.get_by_text("39.50").last)
    person.see(person.screen.feed.get_by_text("43.90").last)


def fill_a_form(person: Newcomer, site: Site) -> None:
    fields = "type Ada into Name, type ada@shop.example into Email, type Hello into Message"
    person.ask(f"open {site.url('/contact')}, {fields}, click Send and read the page")
    person.answer("Approve")
    person.see(person.screen.feed.get_by_text("we will write to you").last)
    assert "contact" in [effect.name for effect in site.effects]


def log_in_by_hand(person: Newcomer, site: Site) -> None:
    screen = person.screen
    person.ask(f"open {site.url('/sign-in')}, log in and read the page")
    person.questions += 1
    person.click(screen.feed.get_by_role("button", name="Take over"))
    person.click(screen.button("Elements"))
    for field, text in (("User", "ann"), ("Password", "S3cret"), ("Code", "123456")):
        box = screen.page.get_by_label(f"Text for {field}")
        person.write(box, text)
        box.press("Enter")
        if field != "User":
            press = "Sign in" if field == "Password" else "Verify"
            person.click(screen.page.get_by_role("button", name=re.compile(f"Click.*{press}")))
    expect(screen.page.get_by_role("textbox", name="Address")).to_have_value(site.url("/account"))
    person.click(screen.button("I’m done"))
    person.click(screen.button("Continue"))
    person.see(screen.feed.get_by_text("Welcome, Ann").last)


def order_with_a_refusal(person: Newcomer, site: Site) -> None:
    screen = person.screen
    order = f"open {site.url('/checkout')}, type {{}} into Name, click Place order and read the page"
    person.ask(order.format("Eva"))
    person.answer("Deny")
    person.see(screen.feed.get_by_text("Denied:"))
    screen.wait_idle()
    assert "order" not in [effect.name for effect in site.effects]
    person.write(screen.composer, order.format("Ada"))
    screen.composer.press("Enter")
    person.answer("Approve")
    person.see(screen.feed.get_by_text("Order number 1001").last)


def read_an_article(person: Newcomer, site: Site) -> None:
    person.ask(f"open {site.url('/article.html')} and tell me what it says about the tariff in 2024")
    person.see(person.screen.feed.get_by_text(SENTENCE).last)


TASKS: dict[str, Callable[[Newcomer, Site], None]] = {
    "find and compare two prices": find_and_compare,
    "fill a form": fill_a_form,
    "log in by take-over": log_in_by_hand,
    "order, refused once": order_with_a_refusal,
    "read a long article": read_an_article,
}


@contextmanager
def first_screen() -> Iterator[tuple[Screen, Site]]:
    """An unused server, signed in to."""
    with (
        Site() as site,
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), **DEMO) as server,
        httpx.Client(base_url=server.api, headers=server.headers, trust_env=False, timeout=30) as api,
        sync_playwright() as playwright,
    ):
        open_walk(site)
        chromium = playwright.chromium.launch(executable_path=executable(), args=FLAGS)
        context = chromium.new_context(base_url=server.url, viewport=DESKTOP, locale="en-US")
        context.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE)
        assert context.request.post("/api/auth/login", data={"password": server.token}).ok
        yield Screen(context.new_page(), server, api), site
        chromium.close()


def main() -> None:
    print(f"{'task':30}{'clicks':>8}{'words':>8}{'questions':>11}{'waited s':>10}")
    with first_screen() as (screen, site):
        for name, do in TASKS.items():
            person = Newcomer(screen)
            do(person, site)
            screen.wait_idle()
            print(f"{name:30}{person.clicks:>8}{person.words:>8}{person.questions:>11}{person.waited:>10.1f}")
    print("load over 1, 5 and 15 minutes:", " ".join(f"{one:.1f}" for one in os.getloadavg()))


if __name__ == "__main__":
    main()
