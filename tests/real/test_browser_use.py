"""The second server: browser-use, attached to our Chromium, its results judged by us."""

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from server.browser.browser import Field
from server.browser.mcp.lifecycle import TOOLS_RESTARTED
from server.browser.mcp.session_browser import SessionBrowser
from server.browser.pool import BrowserPool
from server.extras.tools.browser_use_server import OFFERED_BROWSER_USE_TOOLS
from tests.support.browsers import element, notes_of, open_pool, running_processes
from tests.support.by_person import IN_FIELD, asking_form, enter_by_hand
from tests.support.sites import Site

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool(data: Path) -> AsyncIterator[BrowserPool]:
    async with open_pool(data, browser_mcp="browser-use") as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def browser(pool: BrowserPool) -> SessionBrowser:
    return await pool.get("use")


async def test_the_tools_offered_are_exactly_these(pool: BrowserPool):
    assert {tool.name for tool in await pool.tools()} == set(OFFERED_BROWSER_USE_TOOLS)


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
        assert "net::" not in outcome.text


async def test_a_tool_call_comes_back_with_the_page(browser: SessionBrowser, site: Site):
    outcome = await browser.call("browser_navigate", {"url": site.url("/dialogs")})
    assert '] button "Alert"' in outcome.text
    assert "<untrusted-page>" in outcome.text


CARDS = """<title>Lamps</title><h1>Lamps</h1>
<div class=card><h2>Desk lamp</h2><p>Brass, 40 watts, sold in pairs.</p><button>Details</button> <a href=/d>Photos</a></div>
<div class=card><h2>Floor lamp</h2><p>Oak, dimmable, two years of warranty.</p><button>Details</button></div>
<footer>""" + "".join(f"<p>Shop number {at} <button>Route {at}</button></p>" for at in range(40))


async def test_focus_and_text_near_tell_what_is_around_one_element(browser: SessionBrowser, site: Site):
    await browser.navigate(site.add("/lamps", CARDS))
    seen = await browser.observe()
    second = [one for one in seen.interactive if one.name == "Details"][1]
    near = await browser.text_near(second)
    assert "Oak, dimmable, two years of warranty." in near
    assert len(near) <= 600
    route = element(seen, "Route 20")
    assert "Shop number 20" in await browser.text_near(route)
    assert "Desk lamp" not in await browser.text_near(route)
    focused = await browser.focus(second)
    assert focused.mode == "focused"
    assert any("Oak, dimmable" in block for block in focused.text_blocks)
    assert len([one for one in focused.interactive if one.ref == second.ref]) == 1
    assert not [one for one in focused.interactive if one.name.startswith("Route 39")]
    assert len(focused.text()) < len(seen.text())
    assert (await browser.click(element(focused, "Details"))).ok


async def test_an_element_that_is_gone_has_no_surroundings(browser: SessionBrowser, site: Site):
    await browser.navigate(site.add("/lamps", CARDS))
    gone = element(await browser.observe(), "Photos").model_copy(update={"ref": "99999"})
    whole = await browser.focus(gone)
    assert whole.mode == "main"
    assert "not on the page any more" in notes_of(whole)
    assert await browser.text_near(gone) == ""


async def test_a_confirm_is_dismissed_and_told(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/dialogs"))
    outcome = await browser.click(element(await browser.observe(), "Confirm"))
    seen = await browser.observe()
    assert "Delete it all?" in notes_of(outcome, seen)
    assert seen.page.title == "kept"


async def test_questions_are_a_persons_own_while_they_have_the_browser(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/dialogs"))
    watch = browser.monitor
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


async def test_a_page_with_a_persons_input_is_not_left_nor_its_tab_closed(
    pool: BrowserPool, browser: SessionBrowser, site: Site
):
    """Its server accepts every dialog of leaving a page: ours is answered before."""
    form = asking_form(site)
    await browser.navigate(form)
    await enter_by_hand(pool, "use", IN_FIELD)
    left = await browser.navigate(site.url("/form"))
    assert (left.ok, browser.url) == (False, form), left
    assert "It was not left" in notes_of(left)
    watch = browser.monitor
    assert watch
    (page,) = watch.pages.values()
    closed = await browser.call("browser_close_tab", {"tab_id": page.target[-4:]})
    assert (closed.ok, list(watch.pages.values())) == (False, [page])
    page.holds_input = False
    assert (await browser.navigate(site.url("/form"))).ok


async def test_a_picture_has_the_size_of_the_viewport(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/form"))
    picture = await browser.screenshot()
    assert picture is not None
    assert (picture.width, picture.height) == (1280, 720)


async def test_a_hanging_page_does_not_block_the_next_call(browser: SessionBrowser, site: Site):
    stuck = await browser.navigate(site.url("/hang"))
    assert (stuck.ok, stuck.timed_out) == (False, True)
    assert (await browser.navigate(site.url("/form"))).ok
    assert element(await browser.observe(), "Send")


async def test_a_killed_server_keeps_the_page(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/links"))
    for line in running_processes("browser-use", "--mcp"):
        os.kill(int(line.split()[0]), signal.SIGKILL)
    seen = await browser.observe()
    assert TOOLS_RESTARTED in notes_of(seen)
    assert seen.page.url == site.url("/links")


async def test_acts_that_its_server_lacks_are_refused_with_the_reason(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/form"))
    one = next(iter((await browser.observe()).interactive))
    tried = {
        "right button": browser.click(one, manner="right"),
        "held down": browser.click(one, manner="hold"),
        "with a key": browser.click(one, manner="shift"),
        "double clicks": browser.click(one, manner="double"),
        "dragging": browser.drag(one, one),
        "pointing at things": browser.hover(one),
        "pressing keys": browser.press("Tab"),
        "scrolling sideways": browser.scroll("left", 300),
        "scrolling to a text": browser.scroll_to("Name", "down"),
    }
    for lacks, act in tried.items():
        outcome = await act
        assert not outcome.ok, lacks
        assert lacks in outcome.text
