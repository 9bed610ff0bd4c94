"""Pages that hang, ask, loop or are too large: the next call works, and its notes say what happened."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from server.browser.browser import Field
from server.browser.chromium import hangs
from server.browser.chromium.cdp import CdpError
from server.browser.mcp.playwright import playwright
from server.browser.mcp.session_browser import SessionBrowser
from server.browser.pool import BrowserPool
from tests.support.browsers import cpu_seconds, element, notes_of, open_pool
from tests.support.eventually import eventually
from tests.support.sites import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")

LOADING = 8_000
"""Milliseconds that a page may take to load, half of what it may take in earnest."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[BrowserPool]:
    async with open_pool(tmp_path_factory.mktemp("data"), server=playwright(LOADING)) as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def browser(pool: BrowserPool, site: Site) -> AsyncIterator[SessionBrowser]:
    """And after each test: the browser still does its job, at the first try."""
    browser = await pool.get("hangs")
    yield browser
    assert (await browser.navigate(site.url("/form"))).ok
    assert element(await browser.observe(), "Name")


async def test_an_alert_is_closed_and_told(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/dialogs"))
    outcome = await browser.click(element(await browser.observe(), "Alert"))
    assert "Saved." in notes_of(outcome, await browser.observe())
    assert (await browser.observe()).page.title == "alerted"


async def test_a_confirm_waits_for_its_answer(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/dialogs"))
    asked = await browser.click(element(await browser.observe(), "Confirm"))
    assert "Delete it all?" in notes_of(asked)
    waiting = await browser.observe()
    assert "Delete it all?" in notes_of(waiting)
    assert await browser.screenshot() is None
    assert (await browser.answer_dialog(True)).title == "deleted"


async def test_a_confirm_that_nobody_answers_is_dismissed_at_the_next_action(
    browser: SessionBrowser, site: Site
):
    await browser.navigate(site.url("/dialogs"))
    seen = await browser.observe()
    await browser.click(element(seen, "Confirm"))
    outcome = await browser.scroll("down", 10)
    assert "dismissed" in notes_of(outcome)
    assert (await browser.observe()).page.title == "kept"


async def test_a_prompt_takes_a_text(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/dialogs"))
    await browser.click(element(await browser.observe(), "Prompt"))
    assert (await browser.answer_dialog(True, "Ann")).title == "name Ann"


async def test_what_happens_while_keys_are_typed_is_told(browser: SessionBrowser, site: Site):
    """An editor takes several calls; each may return notes."""
    once = "this.onfocus = null; alert('Saved.')"
    await browser.navigate(
        site.add("/editor", f'<div tabindex=0 role=textbox aria-label=Text onfocus="{once}">Here</div>')
    )
    outcome = await browser.type([Field(element(await browser.observe(), "Text"), "one\ntwo")])
    assert outcome.ok, outcome
    assert "Saved." in notes_of(outcome)


async def test_answering_where_nothing_was_asked_is_an_error_in_words(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/form"))
    outcome = await browser.answer_dialog(True)
    assert not outcome.ok
    assert "dialog" in outcome.text.lower()


async def test_an_alert_while_loading_does_not_hide_the_page(browser: SessionBrowser, site: Site):
    outcome = await browser.navigate(site.url("/alert-on-load"))
    assert outcome.ok
    seen = await browser.observe()
    assert "Welcome!" in notes_of(outcome, seen)
    assert seen.page.url == site.url("/alert-on-load")
    assert "After the alert" in seen.text()


async def test_leaving_a_draft_is_possible_and_told(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/beforeunload"))
    await browser.call("browser_type", {"target": "#draft", "text": "half a sentence", "slowly": True})
    outcome = await browser.navigate(site.url("/form"))
    seen = await browser.observe()
    assert seen.page.url == site.url("/form"), outcome
    assert "leave" in notes_of(outcome, seen)


async def test_alerts_without_end_cost_their_tab(browser: SessionBrowser, site: Site):
    outcome = await browser.navigate(site.url("/alerts-endless"))
    watch = browser.monitor
    assert watch is not None
    await eventually(
        lambda: [page.url for page in watch.pages.values()],
        lambda it: site.url("/alerts-endless") not in it,
        message="its tab is closed",
    )
    seen = await browser.observe()
    assert "tab was closed" in notes_of(outcome, seen)
    assert len(await browser.tabs()) == 1


async def test_the_tools_tab_takes_the_place_of_the_one_that_replaced_a_hung_page(
    browser: SessionBrowser, site: Site
):
    """The tool server opens a tab if it learns that its last one was closed before it learns of the replacement."""
    await browser.navigate(site.url("/links"))
    watch = browser.monitor
    assert watch is not None
    page = watch.page_at(site.url("/links"))
    assert page is not None
    await hangs.replace(watch.cdp, page)
    opened = await watch.cdp.send("Target.createTarget", {"url": "about:blank"})
    await eventually(
        lambda: list(watch.pages), lambda it: it == [opened["targetId"]], message="one tab is left"
    )


async def test_a_server_that_never_answers_costs_one_deadline(browser: SessionBrowser, site: Site):
    asked = site.paths.count("/hang")
    outcome = await browser.navigate(site.url("/hang"))
    assert (outcome.ok, outcome.timed_out) == (False, True)
    assert site.paths.count("/hang") == asked + 1


async def test_a_cancelled_navigation_does_not_block_the_next_call(browser: SessionBrowser, site: Site):
    call = asyncio.create_task(browser.navigate(site.url("/hang")))
    await eventually(lambda: site.paths, lambda it: it[-1:] == ["/hang"], message="the page is asked for")
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    began = time.monotonic()
    await browser.reset()
    assert (await browser.navigate(site.url("/form"))).ok
    assert time.monotonic() - began < LOADING / 1000, "it waited until the cancelled one was given up"


async def it_spins(site: Site, times: int) -> None:
    """Wait until a page has reported for the `times`-th time that it begins."""
    await eventually(
        lambda: [effect.name for effect in site.effects].count("spins"),
        lambda it: it == times,
        message="the page spins",
    )


@pytest.fixture
def spun(site: Site) -> int:
    """How often a page of the site has begun to spin before this test."""
    return [effect.name for effect in site.effects].count("spins")


async def test_a_page_that_spins_is_replaced(browser: SessionBrowser, site: Site, spun: int):
    outcome = await browser.navigate(site.url("/spin"))
    await it_spins(site, spun + 1)
    seen = await browser.observe()
    assert "hung" in notes_of(outcome, seen)
    assert seen.page.url == "about:blank"


async def test_a_page_that_spins_can_be_left(browser: SessionBrowser, site: Site, spun: int):
    await browser.navigate(site.url("/spin"))
    await it_spins(site, spun + 1)
    assert (await browser.navigate(site.url("/form"))).ok


async def test_a_click_that_hangs_the_page_is_told(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/spin-on-click"))
    outcome = await browser.click(element(await browser.observe(), "Spin"))
    assert not outcome.ok
    assert "hung" in notes_of(outcome, await browser.observe())


async def test_a_cancelled_call_on_a_spinning_page_needs_no_reset_by_hand(
    browser: SessionBrowser, site: Site, spun: int
):
    await browser.navigate(site.url("/spin-on-click"))
    seen = await browser.observe()
    call = asyncio.create_task(browser.click(element(seen, "Spin")))
    await it_spins(site, spun + 1)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert (await browser.press("Escape")).ok


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/redirect-loop", "The page could not be opened: the site forwards without end."),
        ("/reload-loop", "did not finish loading in time. Loading was stopped"),
        ("/meta-refresh", "Opened the page."),
        ("/slow-body", "did not finish loading in time. Loading was stopped"),
    ],
)
async def test_loops_and_endless_pages_come_to_an_end(
    browser: SessionBrowser, site: Site, path: str, told: str
):
    assert told in (await browser.navigate(site.url(path))).text
    assert (await browser.observe()).page.url
    assert (await browser.navigate(site.url("/form"))).text == "Opened the page."
    assert (await browser.observe()).page.title == "Form"


@pytest.mark.parametrize("path", ["/many-links", "/huge", "/deep", "/canvas"])
async def test_a_page_of_any_size_is_observed_within_ten_seconds(
    browser: SessionBrowser, site: Site, path: str
):
    """Of CPU time of the server and of all that belongs to its browsers, so that a busy machine does not count."""
    await browser.navigate(site.url(path))
    before = cpu_seconds()
    seen = await browser.observe()
    assert cpu_seconds() - before < 10
    assert seen.page.url == site.url(path)
    assert len(seen.text()) < 20_000


async def test_what_is_in_view_of_a_huge_page_can_be_clicked(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/many-links?n=15000"))
    seen = await browser.observe()
    assert "too large" in notes_of(seen)
    assert (await browser.click(element(seen, "Link 7", "link"))).ok
    await eventually(lambda: site.paths, lambda it: "/links?7" in it, message="the link is followed")


async def test_a_page_that_crashes_is_told(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/links"))
    watch = browser.monitor
    assert watch is not None
    page = watch.page_at(site.url("/links"), "Links")
    assert page is not None
    with pytest.raises(CdpError):
        await watch.cdp.send("Page.crash", session=page.session, deadline=1)
    seen = await browser.observe()
    assert "crashed" in notes_of(seen)
    assert seen.page.url == "about:blank"
