"""A browser that is just being started, by a program that never becomes ready."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from server.browser.browser import BrowserUnavailable
from server.browser.mcp.session_browser import SessionBrowser
from server.browser.pool import BrowserPool
from tests.support.browsers import open_pool, running_processes
from tests.support.eventually import eventually


def slow_chromium(folder: Path) -> Path:
    program = folder / "slow-chromium"
    program.write_text("#!/bin/sh\nwhile :; do sleep 1; done\n")
    program.chmod(0o755)
    return program


async def start_of(pool: BrowserPool, folder: Path) -> tuple[SessionBrowser, asyncio.Task[None]]:
    browser = await pool.get("a")
    start = asyncio.create_task(browser.open())
    await eventually(lambda: running_processes(str(folder), "--user-data-dir"), message="the program runs")
    return browser, start


async def test_closing_a_session_ends_what_is_being_started_at_once_and_for_good(tmp_path: Path) -> None:
    async with open_pool(
        tmp_path, browser_executable=slow_chromium(tmp_path), browser_profile="fresh", max_browsers=1
    ) as pool:
        browser, start = await start_of(pool, tmp_path)
        await pool.close("a")
        assert running_processes(str(tmp_path), "--user-data-dir") == []
        assert not (tmp_path / "profiles" / "a").exists()
        for again in (start, browser.open()):
            with pytest.raises(BrowserUnavailable, match="was closed"):
                await again
        _, last = await start_of(pool, tmp_path)  # its place is free
    with pytest.raises(BrowserUnavailable, match="was closed"):
        await last


async def test_who_stops_waiting_stops_the_start(tmp_path: Path) -> None:
    async with open_pool(tmp_path, browser_executable=slow_chromium(tmp_path)) as pool:
        _, start = await start_of(pool, tmp_path)
        start.cancel()
        with pytest.raises(asyncio.CancelledError):
            await start
        assert running_processes(str(tmp_path), "--user-data-dir") == []


async def test_a_browser_starts_with_one_page_and_none_of_chromiums_own(tmp_path: Path) -> None:
    async with open_pool(tmp_path) as pool:
        browser = await pool.get("a")
        await browser.navigate("about:blank")
        assert browser.chromium is not None
        found = await browser.chromium.cdp.send("Target.getTargets", {"filter": [{}]})
        assert {(one["type"], one["url"]) for one in found["targetInfos"]} == {
            ("tab", "about:blank"),
            ("page", "about:blank"),
        }
