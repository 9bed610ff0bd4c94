"""The second server: browser-use, attached to our Chromium, its results judged by us."""

import os
import signal
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from server.browser.browser import Field
from server.browser.browser_use_server import OFFERED
from server.browser.pool import BrowserPool
from server.browser.session_browser import SessionBrowser
from server.browser.upkeep import TOOLS_RESTARTED
from tests.support.browsers import element, notes_of, open_pool, running_processes
from tests.support.sites import Site

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[BrowserPool]:
    async with open_pool(tmp_path_factory.mktemp("data"), browser_mcp="browser-use") as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def browser(pool: BrowserPool) -> SessionBrowser:
    return await pool.get("use")


async def test_the_tools_offered_are_exactly_these(pool: BrowserPool):
    assert {tool.name for tool in await pool.tools()} == set(OFFERED)


async def test_a_form_is_filled_in_and_sent(browser: SessionBrowser, site: Site):
    outcome = await browser.navigate(site.url("/form"))
    assert (outcome.ok, outcome.url) == (True, site.url("/form"))
    seen = await browser.observe()
    town = next(one for one in seen.interactive if one.placeholder == "Where you live")
    assert (await browser.type([Field(town, "Oslo")])).ok
    sent = await browser.click(element(seen, "Send"))
    assert sent.ok
    assert site.effects[-1].fields["town"] == "Oslo"


async def test_typing_with_submit_sends_the_form(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/form"))
    town = next(one for one in (await browser.observe()).interactive if one.placeholder == "Where you live")
    await browser.type([Field(town, "Bern")], submit=True)
    assert site.effects[-1].fields["town"] == "Bern"


async def test_failures_told_as_success_are_seen_through(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/form"))
    for outcome in (
        await browser.call("browser_click", {"index": 9999}),
        await browser.call("browser_click", {}),
        await browser.call("browser_click", {"index": 1, "coordinate_x": 1, "coordinate_y": 1}),
        await browser.call("browser_type", {"index": 9999, "text": "x"}),
        await browser.navigate("http://127.0.0.1:9/"),
        await browser.navigate("file:///etc/passwd"),
        await browser.call("browser_navigate", {"url": "file:///etc/passwd"}),
    ):
        assert not outcome.ok, outcome


async def test_a_tool_call_comes_back_with_the_page(browser: SessionBrowser, site: Site):
    outcome = await browser.call("browser_navigate", {"url": site.url("/dialogs")})
    assert '] button "Alert"' in outcome.text
    assert "<untrusted-page>" in outcome.text


async def test_a_confirm_is_dismissed_and_told(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/dialogs"))
    outcome = await browser.click(element(await browser.observe(), "Confirm"))
    seen = await browser.observe()
    assert "Delete it all?" in notes_of(outcome, seen)
    assert seen.page.title == "kept"


async def test_questions_are_a_persons_own_while_they_have_the_browser(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/dialogs"))
    watch = browser.supervisor
    assert watch
    page = watch.page_at(site.url("/dialogs"))
    assert page

    async def is_replaced() -> bool:
        asked = {"expression": "'native' in confirm && 'native' in prompt", "returnByValue": True}
        return bool(
            (await watch.cdp.send("Runtime.evaluate", asked, session=page.session))["result"]["value"]
        )

    assert await is_replaced()
    for is_held in (True, False):
        watch.dialogs.is_hands_off = is_held
        await watch.settle()
        assert await is_replaced() is not is_held


async def test_a_picture_has_the_size_of_the_viewport(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/form"))
    picture = await browser.screenshot()
    assert picture is not None
    assert (picture.width, picture.height) == (1280, 720)


async def test_a_hanging_page_does_not_block_the_next_call(browser: SessionBrowser, site: Site):
    stuck = await browser.navigate(site.url("/hang"))
    assert not stuck.ok
    assert (await browser.navigate(site.url("/form"))).ok
    assert element(await browser.observe(), "Send")


async def test_a_killed_server_keeps_the_page(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/links"))
    for line in running_processes("browser-use", "--mcp"):
        os.kill(int(line.split()[0]), signal.SIGKILL)
    seen = await browser.observe()
    assert TOOLS_RESTARTED in notes_of(seen)
    assert seen.page.url == site.url("/links")
