"""What a person waits for: a session, a reload, a decision made in another tab, the step after a yes, a sign of life.

All rows are wall clock, from the input to the frame that shows what came of it.
"""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from playwright.sync_api import expect

from bench.ui.scenes import TIME_TO_ROW
from tests.e2e.screen import Screen
from tests.e2e.studio import Studio, sign_in
from tests.support.server import serving
from tests.support.shop_site import open_shop
from tests.support.sites import Site

Add = Callable[[str, float], None]

AIMS = {
    "session switch ms, pointer on it before": 100,
    "session switch ms, straight away": 250,
    "reload to conversation ms": 600,
    "reload to conversation ms, in a run": 600,
    "decision in another tab ms": 200,
    "send to sign of life ms": 150,
    "approve to next step ms": 700,
    "take over to first frame ms": 1000,
}
DEMO = {
    "agent_mode": "real",
    "agent_model": "demo",
    "browser_headless": "true",
    "allow_private_network": "true",
    "drain_timeout": "0",
}
HOVER = 120
"""Milliseconds that a pointer rests on a session before a quick click."""

CLICK_TO_TEXT = """async ([selector, text]) => {
    const start = performance.now()
    document.querySelector(selector).click()
    while (!document.getElementById('feed')?.textContent.includes(text)) await new Promise(requestAnimationFrame)
    return performance.now() - start }"""
TEXT_SINCE_NAVIGATION = """async text => {
    while (!document.getElementById('feed')?.textContent.includes(text)) await new Promise(requestAnimationFrame)
    return performance.now() }"""
WHEN_WITHOUT_CARD = """() => new Promise(done => {
    const open = () => [...document.querySelectorAll('#feed button')].some(one => one.textContent.trim() === 'Approve')
    new MutationObserver((_, watcher) => {
        if (open()) return
        window.closedAt = performance.timeOrigin + performance.now()
        watcher.disconnect()
        done()
    }).observe(document.body, {subtree: true, childList: true}) })"""
"""Until the card is gone from the page: two tabs at once get few frames without a graphics card."""
APPROVE = """() => {
    const button = [...document.querySelectorAll('#feed button')].find(one => one.textContent.trim() === 'Approve')
    button.click()
    return performance.timeOrigin + performance.now() }"""
TIME_TO_NEXT_STEP = """async () => {
    const steps = () => document.querySelectorAll('#feed [data-tool]').length
    const button = [...document.querySelectorAll('#feed button')].find(one => one.textContent.trim() === 'Approve')
    const before = steps(), start = performance.now()
    button.click()
    while (steps() === before) await new Promise(requestAnimationFrame)
    return performance.now() - start }"""

TIME_TO_FRAME = """async () => {
    const isPainted = one => one.width > 300 && one.getContext('2d').getImageData(10, 10, 1, 1).data[3] > 0
    const start = performance.now();
    [...document.querySelectorAll('#feed button')].find(one => one.textContent.trim() === 'Take over').click()
    while (![...document.querySelectorAll('canvas')].some(isPainted))
        await new Promise(requestAnimationFrame)
    return performance.now() - start }"""


def switch_sessions(add: Add, studio: Studio, tries: int) -> None:
    """To a session that this tab has not shown before, by its row in the list."""
    with studio.screen() as screen:
        targets = [_conversation(screen) for _ in range(2 * tries)]
        screen.open()
        for number, (session, word) in enumerate(targets):
            row = screen.page.locator(f"nav a[href='/s/{session}']")
            row.scroll_into_view_if_needed()
            is_pointed = number % 2 == 0
            if is_pointed:
                row.hover()
                screen.page.wait_for_timeout(HOVER)
            taken = screen.page.evaluate(CLICK_TO_TEXT, [f"nav a[href='/s/{session}']", word])
            add(f"session switch ms, {'pointer on it before' if is_pointed else 'straight away'}", taken)


def reload_pages(add: Add, studio: Studio, tries: int) -> None:
    with studio.screen() as screen:
        session, word = _conversation(screen)
        screen.open(session)
        for _ in range(tries):
            screen.page.reload(wait_until="commit")
            add("reload to conversation ms", screen.page.evaluate(TEXT_SINCE_NAVIGATION, word))
        screen.send("an endless story")
        expect(screen.feed.get_by_text("Wave 1 ")).to_be_visible()
        for _ in range(tries):
            screen.page.reload(wait_until="commit")
            add("reload to conversation ms, in a run", screen.page.evaluate(TEXT_SINCE_NAVIGATION, "Wave 1 "))
        screen.cancel()


def decide_elsewhere(add: Add, studio: Studio, tries: int) -> None:
    with studio.screen() as screen:
        other = Screen(screen.page.context.new_page(), studio.server, studio.api)
        for _ in range(tries):
            screen.begin("shop for a kettle")
            expect(screen.button("Approve")).to_be_visible()
            other.open(screen.session_id)
            expect(other.button("Approve")).to_be_enabled()
            screen.page.evaluate(f"() => {{ window.closing = ({WHEN_WITHOUT_CARD})() }}")
            decided = other.page.evaluate(APPROVE)
            screen.page.evaluate("() => window.closing")
            add("decision in another tab ms", screen.page.evaluate("() => window.closedAt") - decided)


def send_messages(add: Add, studio: Studio, tries: int) -> None:
    """In a session with a history."""
    with studio.screen() as screen:
        session, _ = _conversation(screen)
        screen.open(session)
        for _ in range(tries):
            screen.composer.fill(f"hello there {uuid.uuid4().hex[:6]}")
            _, sign = screen.page.evaluate(TIME_TO_ROW)
            add("send to sign of life ms", sign)
            screen.wait_idle()


def approve_orders(add: Add, studio: Studio, tries: int) -> None:
    """In a real browser, with the demo model: from the yes to the step that shows it."""
    with Site() as site, demo_studio(studio) as demo, demo.screen() as screen:
        open_shop(site)
        screen.begin(f"open {site.url('/checkout')}")
        screen.wait_idle()
        for _ in range(tries):
            screen.send(f"open {site.url('/checkout')}, click Place order and read the page")
            expect(screen.button("Approve")).to_be_enabled()
            add("approve to next step ms", screen.page.evaluate(TIME_TO_NEXT_STEP))
            screen.wait_idle()


def take_over(add: Add, studio: Studio, tries: int) -> None:
    """From the card that hands the browser over to the first picture of its page; the panel is hidden before."""
    with studio.screen() as screen:
        for number in range(tries):
            screen.begin("log in to my mail")
            expect(screen.feed.get_by_role("button", name="Take over")).to_be_visible()
            if number == 0:
                screen.hide_panel()
            add("take over to first frame ms", screen.page.evaluate(TIME_TO_FRAME))
            screen.cancel()


@contextmanager
def demo_studio(studio: Studio) -> Iterator[Studio]:
    """The same Chromium on a server with the demo model and a real browser."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), **DEMO) as server,
        httpx.Client(base_url=server.api, headers=server.headers, trust_env=False, timeout=30) as api,
    ):
        yield Studio(server, api, studio.chromium, sign_in(server, studio.chromium))


def _conversation(screen: Screen) -> tuple[str, str]:
    """A session with two answers, and a word that only it has."""
    word = f"lynx{uuid.uuid4().hex[:6]}"
    session = screen.new_session(title=word.capitalize())
    for text in ("hello", f"hello there {word}"):
        screen.tell(session, text)
        screen.hear_out(session)
    return session, word
