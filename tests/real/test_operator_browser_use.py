"""The main tasks once more, with browser-use's MCP server behind the same door; also to a Chromium on a browser host."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from server.browser.browser import Browser
from server.browser.pool import BrowserPool
from server.extras.tools.browser_use import BROWSER_USE
from tests.support.browsers import element, open_pool, settings_for
from tests.support.hosted import Epochs, running_host, user_of
from tests.support.operator_tasks import fact, task
from tests.support.scripted_model import act, click, navigate, stop, type_into
from tests.support.shop_site import open_shop
from tests.support.sites import Effect, Site

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site() as site:
        open_shop(site)
        yield site


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[BrowserPool]:
    async with open_pool(tmp_path_factory.mktemp("data"), browser_mcp="browser-use") as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def browser(pool: BrowserPool, site: Site) -> Browser:
    site.effects.clear()
    return await pool.get("operator")


async def test_a_checkout_asks_and_is_done_once_after_yes(browser: Browser, site: Site) -> None:
    turns = (
        navigate(site.url("/kettle/blue")), click("Add to cart"), click("Go to checkout"),
        type_into({"Name": "Ann"}), click("Place order"), stop("Ordered."),
    )  # fmt: skip
    async with task(browser, *turns) as it:
        assert await it.say("order the blue kettle for Ann") is None
        assert (it.question or {})["target"]["name"] == "Place order"
        assert [effect.name for effect in site.effects] == ["add"]
        assert await it.answer(True) == "Ordered."
        assert site.effects[1:] == [Effect("order", {"name": "Ann"})]


async def test_a_checkout_is_never_done_after_no(browser: Browser, site: Site) -> None:
    async with task(browser, navigate(site.url("/checkout")), click("Place order")) as it:
        await it.say("order it")
        await it.answer(False)
        assert site.effects == []


async def test_a_login_is_handed_over_and_the_limit_sums_up(browser: Browser, site: Site) -> None:
    turns = (
        navigate(site.url("/sign-in")), act("need_user", reason="Please sign in."),
        fact(navigate(site.url("/shop")), "signed in"), "Two steps done. Shall I go on?", stop("Done."),
    )  # fmt: skip
    async with task(browser, *turns, max_tool_steps=2) as it:
        assert await it.say("sign in and open the shop") is None
        assert (it.question or {})["kind"] == "manual"
        assert await it.answer(done=True) == "Two steps done. Shall I go on?"
        assert await it.say("continue") == "Done."
        assert it.values["facts"][0]["fact"] == "signed in"


async def test_a_browser_on_a_host_is_driven_through_its_tunnel_and_kept_for_the_next_process(
    tmp_path: Path, site: Site
) -> None:
    site.effects.clear()
    site.paths.clear()
    epochs = Epochs()
    async with running_host(tmp_path / "host", browser_executable=None, browser_sandbox=None) as host:
        async with hosted_pool(tmp_path / "one", host.url, epochs) as pool:
            browser = await pool.get("s1")
            await browser.navigate(site.url("/kettle/blue"))
            assert (await browser.click(element(await browser.observe(), "Add to cart"))).ok
            left = await browser.observe()
        async with hosted_pool(tmp_path / "two", host.url, epochs) as pool:
            found = await (await pool.get("s1")).observe()
    assert found.page == left.page
    assert [effect.name for effect in site.effects] == ["add"]
    assert site.paths.count("/kettle/blue") == 1


@asynccontextmanager
async def hosted_pool(folder: Path, host: str, epochs: Epochs) -> AsyncIterator[BrowserPool]:
    """The browsers of a process that has none of its own."""
    settings = settings_for(folder, browser_mcp="browser-use")
    pool = BrowserPool(settings, chromiums=user_of(folder, host, epochs=epochs), server=BROWSER_USE)
    try:
        yield pool
    finally:
        await pool.aclose()
