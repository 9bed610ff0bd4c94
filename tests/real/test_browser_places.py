"""More sessions than browsers: who gets a place, and from whom."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from server.browser.mcp.session_browser import SessionBrowser
from server.browser.pool import BrowserPool
from tests.support.browsers import open_pool, settings_for
from tests.support.eventually import eventually
from tests.support.sites import Site


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


@pytest_asyncio.fixture
async def pool(tmp_path: Path) -> AsyncIterator[BrowserPool]:
    """With one place; nothing is parked because of its age."""
    async with open_pool(tmp_path, max_browsers=1, session_idle_timeout=3600) as pool:
        yield pool


async def waits(pool: BrowserPool, session_id: str) -> asyncio.Task[SessionBrowser]:
    waiting = asyncio.create_task(pool.get(session_id))
    await eventually(lambda: place_of(pool, session_id), lambda it: it == 1, message="the session waits")
    return waiting


def place_of(pool: BrowserPool, session_id: str) -> int | None:
    state = pool.peek(session_id)
    return state.place if state and state.status == "queued" else None


async def test_a_browser_that_rests_is_parked_at_once_for_one_who_waits(pool: BrowserPool, site: Site):
    heard: list[tuple[str, int | None]] = []
    first = await pool.get("first")
    await first.navigate(site.url("/form"))
    pool.place_listeners.append(lambda session_id, place: heard.append((session_id, place)))
    waiting = await waits(pool, "second")
    assert heard == [("second", 1)]
    assert pool.peek("first").status == "open"
    pool.mark_idle("first")
    async with asyncio.timeout(60):
        second = await waiting
    assert heard == [("second", 1), ("second", None)]
    assert pool.peek("first").status == "parked"
    assert (await second.navigate(site.url("/form"))).ok

    pool.mark_idle("second")
    async with asyncio.timeout(60):
        await pool.get("first")
    assert (await first.observe()).page.url == site.url("/form")


async def test_a_browser_that_a_person_has_is_left_to_them(pool: BrowserPool, site: Site):
    await (await pool.get("first")).navigate(site.url("/form"))
    view = pool.live("first")
    viewer = view.join()
    await view.take(viewer)
    pool.mark_idle("first")
    waiting = await waits(pool, "second")
    pool.mark_idle("nobody")
    await asyncio.sleep(0.3)
    assert pool.peek("first").status == "open"
    await view.hand_back(viewer)
    view.leave(viewer)
    pool.mark_idle("first")
    async with asyncio.timeout(60):
        await waiting


async def test_one_who_gives_up_leaves_its_place_and_the_browser_where_it_is(pool: BrowserPool, site: Site):
    await (await pool.get("first")).navigate(site.url("/form"))
    waiting = await waits(pool, "second")
    waiting.cancel()
    await asyncio.wait({waiting})
    assert pool.peek("second") is None
    pool.mark_idle("first")
    assert pool.peek("first").status == "open"


async def test_a_browser_that_starts_after_a_long_wait_is_not_parked(
    pool: BrowserPool, site: Site, tmp_path: Path
):
    await (await pool.get("first")).navigate(site.url("/form"))
    second = await waits(pool, "second")
    third = asyncio.create_task(pool.get("third"))
    pool.configure(settings_for(tmp_path, max_browsers=1, session_idle_timeout=0.001))
    async with asyncio.timeout(60):
        while not second.done():
            pool.mark_idle("nobody")  # has the pool look for idle browsers at every step of the start
            await asyncio.sleep(0)
        await second
        await third
