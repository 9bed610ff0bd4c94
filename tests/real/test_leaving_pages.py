"""A page that asks before it is left: what a person entered there is lost only with their yes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from server.browser.mcp.session_browser import SessionBrowser
from server.browser.pool import BrowserPool
from tests.support.browsers import element, notes_of, open_pool
from tests.support.by_person import IN_FIELD, IN_FRAME, asking_form, enter_by_hand
from tests.support.operator_tasks import task
from tests.support.scripted_model import act, navigate, stop
from tests.support.sites import Site

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(180)]

HOLDS = "what a person entered there would be lost"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[BrowserPool]:
    async with open_pool(tmp_path_factory.mktemp("data")) as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def browser(pool: BrowserPool) -> SessionBrowser:
    browser = await pool.get("leaving")
    assert isinstance(browser, SessionBrowser)
    return browser


@pytest.fixture
def form(site: Site) -> str:
    return asking_form(site)


async def test_a_page_that_only_the_agent_filled_in_is_left(pool: BrowserPool, browser: SessionBrowser, site: Site, form: str) -> None:  # fmt: skip
    await browser.navigate(form)
    await browser.call("browser_type", {"target": "#a", "text": "Ann", "slowly": True})
    outcome = await browser.navigate(site.url("/form"))
    assert outcome.ok
    seen = await browser.observe()
    assert seen.page.url == site.url("/form")
    assert "it was left" in notes_of(outcome, seen)


async def test_a_page_that_a_person_only_looked_at_is_left(pool: BrowserPool, browser: SessionBrowser, site: Site, form: str) -> None:  # fmt: skip
    await browser.navigate(form)
    await enter_by_hand(pool, "leaving", IN_FIELD, words="")
    assert (await browser.navigate(site.url("/form"))).ok
    assert (await browser.observe()).page.url == site.url("/form")


@pytest.mark.parametrize("at", [IN_FIELD, IN_FRAME], ids=["a field", "a field in a frame of another site"])
@pytest.mark.parametrize("way", ["navigate", "back", "click"])
async def test_what_a_person_entered_stays_until_the_dialog_is_accepted(
    pool: BrowserPool, browser: SessionBrowser, site: Site, form: str, way: str, at: tuple[int, int]
) -> None:
    await browser.navigate(site.url("/form"))
    await browser.navigate(form)
    assert "entered" in await enter_by_hand(pool, "leaving", at)
    seen = await browser.observe()
    match way:
        case "navigate":
            outcome = await browser.navigate(site.url("/form"))
        case "back":
            outcome = await browser.back()
        case _:
            outcome = await browser.click(element(seen, "Elsewhere"))
    waiting = await browser.observe()
    assert (outcome.ok, "was not left" in outcome.text) == (False, True)
    assert HOLDS in notes_of(outcome)
    assert HOLDS in notes_of(waiting)
    assert (browser.url, waiting.dialog) == (form, "beforeunload")
    assert (await browser.answer_dialog(False)).ok
    assert element(await browser.observe(), "Elsewhere")
    assert browser.url == form
    await browser.navigate(site.url("/form"))
    assert (await browser.answer_dialog(True)).ok
    assert (await browser.observe()).page.url == site.url("/form")


@pytest.mark.parametrize("is_allowed", [True, False], ids=["yes", "no"])
async def test_the_operator_asks_before_it_leaves(
    pool: BrowserPool, browser: SessionBrowser, site: Site, form: str, is_allowed: bool
) -> None:
    await browser.navigate(form)
    await enter_by_hand(pool, "leaving", IN_FIELD)
    moves = (navigate(site.url("/form")), act("dialog", accept=True), stop("Done."))
    async with task(browser, *moves) as it:
        await it.say("go on")
        assert it.question is not None
        assert "you entered something" in it.question["reason"]
        await it.answer(is_allowed)
    assert it.question is None
    if not is_allowed:
        await browser.answer_dialog(False)
    assert (await browser.observe()).page.url == (site.url("/form") if is_allowed else form)


async def test_a_tab_in_which_a_person_entered_something_is_not_closed(
    pool: BrowserPool, browser: SessionBrowser, site: Site, form: str
) -> None:
    await browser.navigate(form)
    await enter_by_hand(pool, "leaving", IN_FIELD)
    await browser.call("browser_tabs", {"action": "new", "url": site.url("/form")})
    refused = await browser.call("browser_tabs", {"action": "close", "index": 0})
    assert (refused.ok, "a person entered something in that tab" in refused.text) == (False, True)
    assert (await browser.call("browser_tabs", {"action": "close"})).ok
    assert [tab.url for tab in await browser.tabs()] == [form]
    await browser.navigate(site.url("/form"))
    assert (await browser.answer_dialog(True)).ok


async def test_a_form_of_several_fields_asks_once_one_was_entered(
    pool: BrowserPool, browser: SessionBrowser, site: Site
) -> None:
    page = (Path(__file__).parents[1] / "pages" / "acts" / "A19_leave.html").read_text()
    form = site.add(
        "/address", page.replace("<form>", "<style>body{margin:0}input{height:40px}</style><form>")
    )
    await browser.navigate(form)
    await enter_by_hand(pool, "leaving", (120, 20))
    assert not (await browser.navigate(site.url("/form"))).ok
    assert HOLDS in notes_of(await browser.observe())
    assert browser.url == form
