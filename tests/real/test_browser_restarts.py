"""A process that dies is started again, and a note says so; one that is not needed any more is ended."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
import pytest_asyncio

from server.browser.browser import BrowserUnavailable, Field
from server.browser.mcp.lifecycle import BROWSER_RESTARTED, TOOLS_RESTARTED
from server.browser.memory import end_heavy_pages, weigh
from server.browser.pool import BrowserPool
from server.fs.disk import size_of
from tests.support.browsers import element, no_process_is_left, notes_of, open_pool, running_processes
from tests.support.eventually import eventually
from tests.support.sites import Answer, Site


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


@pytest_asyncio.fixture
async def pool(tmp_path: Path) -> AsyncIterator[BrowserPool]:
    async with open_pool(tmp_path) as pool:
        yield pool


def mcp_pid(folder: Path) -> int:
    return int(running_processes("cli.js", str(folder))[0].split()[0])


async def test_a_killed_mcp_process_keeps_the_page(pool: BrowserPool, site: Site, tmp_path: Path):
    browser = await pool.get("a")
    await browser.navigate(site.url("/form"))
    await browser.type([Field(element(await browser.observe(), "Name"), "Ann")])
    os.kill(mcp_pid(tmp_path), signal.SIGKILL)
    seen = await browser.observe()
    assert TOOLS_RESTARTED in notes_of(seen)
    assert element(seen, "Name").value == "Ann"


async def test_a_mcp_process_killed_during_a_call_is_told_and_not_repeated(
    pool: BrowserPool, site: Site, tmp_path: Path
):
    browser = await pool.get("a")
    await browser.navigate(site.url("/slow-order"))
    seen = await browser.observe()
    call = asyncio.create_task(browser.click(element(seen, "Order slowly")))
    await eventually(lambda: site.effects, message="the order arrives")
    os.kill(mcp_pid(tmp_path), signal.SIGKILL)
    outcome = await call
    assert not outcome.ok
    assert "may or may not have happened" in outcome.text
    await browser.observe()
    assert len(site.effects) == 1


async def test_a_mcp_process_that_is_stopped_is_replaced(pool: BrowserPool, site: Site, tmp_path: Path):
    browser = await pool.get("a")
    await browser.navigate(site.url("/form"))
    os.kill(mcp_pid(tmp_path), signal.SIGSTOP)
    stuck = await browser.press("End")
    assert not stuck.ok
    seen = await browser.observe()
    assert TOOLS_RESTARTED in notes_of(stuck, seen)
    assert element(seen, "Name")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
async def test_a_lost_browser_is_started_again_and_told(pool: BrowserPool, site: Site, number: int):
    browser = await pool.get("a")
    await browser.navigate(site.url("/login"))
    seen = await browser.observe()
    await browser.type(
        [Field(element(seen, "User"), "ann"), Field(element(seen, "Password"), "x")], submit=True
    )
    assert browser.chromium is not None
    await asyncio.sleep(0.5)
    os.killpg(browser.chromium.pid, number)
    first, second = await browser.navigate(site.url("/form")), await browser.navigate(site.url("/form"))
    assert second.ok
    assert BROWSER_RESTARTED in notes_of(first, second)
    assert (await browser.observe()).page.title == "Form"


async def test_other_sessions_do_not_notice(pool: BrowserPool, site: Site):
    one, other = await pool.get("one"), await pool.get("other")
    await asyncio.gather(one.navigate(site.url("/form")), other.navigate(site.url("/form")))
    assert one.chromium is not None
    os.killpg(one.chromium.pid, signal.SIGKILL)
    seen = await other.observe()
    assert seen.notes == ()
    assert element(seen, "Name")


async def test_a_page_that_eats_memory_costs_itself_and_nobody_else(site: Site, tmp_path: Path):
    async with open_pool(tmp_path, browser_memory=900) as pool:
        hungry, other = await pool.get("hungry"), await pool.get("other")
        await other.navigate(site.url("/form"))
        await hungry.navigate(site.url("/memory"))
        watch = hungry.monitor
        assert watch is not None
        await eventually(
            lambda: [page.is_crashed for page in watch.pages.values()],
            any,
            message="a page is ended",
        )
        seen = await hungry.observe()
        assert "more than 900 MB" in notes_of(seen)
        assert "crashed" in notes_of(seen)
        assert (await hungry.navigate(site.url("/form"))).ok
        assert (await other.observe()).notes == ()


async def test_what_earlier_pages_left_is_freed_before_a_page_is_ended(site: Site, tmp_path: Path):
    async with open_pool(tmp_path) as pool:
        browser = await pool.get("reader")
        for _ in range(3):
            await browser.navigate(site.url("/many-links?n=25000"))
        await browser.navigate(site.url("/form"))
        assert browser.chromium is not None
        group = browser.chromium.pid
        before = weigh([group])[group].total // 1_000_000
        await end_heavy_pages([browser], before - 50)
        assert weigh([group])[group].total // 1_000_000 < before - 50
        seen = await browser.observe()
        assert seen.notes == ()
        assert element(seen, "Name")


async def test_a_page_that_fills_the_disk_costs_its_browser_and_nobody_else(site: Site, tmp_path: Path):
    url = site.add(
        "/fills",
        """<title>filling</title><script>(async () => {
        const cache = await caches.open('x');
        for (let at = 0; at < 12; at++) {
            const bytes = new Uint8Array(10000000);
            for (let i = 0; i < bytes.length; i += 65536) crypto.getRandomValues(bytes.subarray(i, i + 65536));
            await cache.put('/' + at, new Response(bytes));
        }
        document.title = 'full' })()</script>""",
    )
    async with open_pool(tmp_path, browser_disk=60) as pool:
        greedy, other = await pool.get("greedy"), await pool.get("other")
        await other.navigate(site.url("/form"))
        await greedy.navigate(site.url("/login"))
        seen = await greedy.observe()
        fields = [Field(element(seen, "User"), "ann"), Field(element(seen, "Password"), "x")]
        assert (await greedy.type(fields, submit=True)).title == "Private"
        await greedy.navigate(url)
        chromium = greedy.chromium
        assert chromium is not None
        await eventually(lambda: not chromium.is_running, message="the browser is ended")
        await eventually(
            lambda: chromium.process.returncode,
            lambda it: it is not None,
            message="its process is gone",
        )
        assert chromium.process.returncode == 0
        outcome = await greedy.navigate(site.url("/private"))
        assert outcome.title == "Private"
        told = notes_of(outcome)
        assert "more than the 60 MB" in told
        assert "cookies were kept" in told
        assert BROWSER_RESTARTED in told
        assert size_of(tmp_path / "profiles" / "greedy") < 60_000_000
        assert (await other.observe()).notes == ()


async def test_the_third_failure_within_five_minutes_ends_it(pool: BrowserPool, site: Site):
    browser = await pool.get("a")
    for _ in range(3):
        assert (await browser.navigate(site.url("/form"))).ok
        chromium = browser.chromium
        assert chromium is not None
        os.killpg(chromium.pid, signal.SIGKILL)
        await eventually(
            lambda chromium=chromium: not chromium.is_running, message="the browser is noted as gone"
        )
    with pytest.raises(BrowserUnavailable, match="3 times"):
        await browser.navigate(site.url("/form"))
    assert (await browser.navigate(site.url("/form"))).ok


async def test_cookies_of_one_session_are_not_seen_in_another(pool: BrowserPool, site: Site):
    one, other = await pool.get("one"), await pool.get("other")
    for browser, title in ((one, "Visit 1"), (one, "Visit 2"), (other, "Visit 1"), (one, "Visit 3")):
        await browser.navigate(site.url("/visits"))
        assert title in (await browser.observe()).text()
        if title == "Visit 2":
            await browser.park()  # its cookies are on the disk then


async def test_a_parked_browser_comes_back_with_its_login_and_its_page(
    pool: BrowserPool, site: Site, tmp_path: Path
):
    browser = await pool.get("a")
    await browser.navigate(site.url("/login"))
    seen = await browser.observe()
    await browser.type(
        [Field(element(seen, "User"), "ann"), Field(element(seen, "Password"), "x")], submit=True
    )
    await pool.park("a")
    state = pool.peek("a")
    assert state is not None
    assert state.status == "parked"
    await no_process_is_left(str(tmp_path))
    seen = await browser.observe()
    assert "put to sleep" in notes_of(seen)
    assert seen.page.title == "Private"


async def test_a_closed_session_keeps_its_profile_until_it_is_purged(
    pool: BrowserPool, site: Site, tmp_path: Path
):
    browser = await pool.get("a")
    await browser.navigate(site.url("/form"))
    profile = tmp_path / "profiles" / "a"
    assert profile.exists()
    await pool.close("a")
    assert profile.exists()
    await pool.close("a", purge=True)
    assert not profile.exists()


async def test_at_most_max_browsers_are_open_and_the_next_one_has_a_place(site: Site, tmp_path: Path):
    async with open_pool(tmp_path, max_browsers=1) as pool:
        first, second = await pool.get("first"), await pool.get("second")
        await first.navigate(site.url("/form"))
        call = asyncio.create_task(second.navigate(site.url("/form")))
        await eventually(
            lambda: pool.peek("second"),
            lambda it: it and (it.status, it.place) == ("queued", 1),
            message="the session waits, first in the queue",
        )
        await pool.park("first")
        assert (await call).ok


async def test_unused_browsers_are_parked(site: Site, tmp_path: Path):
    async with open_pool(tmp_path, session_idle_timeout=0.5) as pool:
        browser = await pool.get("a")
        await browser.navigate(site.url("/form"))
        await eventually(
            lambda: pool.peek("a").status,
            lambda it: it == "parked",
            message="the browser is parked",
        )


async def test_nothing_is_left_when_a_pool_is_closed(site: Site, tmp_path: Path):
    async with open_pool(tmp_path) as pool:
        for name in ("a", "b"):
            await (await pool.get(name)).navigate(site.url("/form"))
        freeze_browsers(tmp_path)
    await no_process_is_left(str(tmp_path))
    assert not list((tmp_path / "browsers").rglob("*.json"))


def temporary_folders(folder: Path) -> list[Path]:
    """Those of the running processes, by their notes."""
    notes = [json.loads(note.read_text()) for note in (folder / "browsers").rglob("processes/*.json")]
    return [Path(note["folder"]) for note in notes]


def freeze_browsers(folder: Path) -> None:
    """So that they do not end by themselves when their pipe is closed."""
    found = running_processes(str(folder), "--remote-debugging-pipe")
    assert found
    for line in found:
        with suppress(ProcessLookupError):
            os.kill(int(line.split()[0]), signal.SIGSTOP)


HOST = """
    import asyncio, sys
    from pathlib import Path
    from server.browser.pool import BrowserPool
    from tests.support.browsers import settings_for

    async def main():
        browser = await BrowserPool(settings_for(Path(sys.argv[1]))).get("a")
        print((await browser.navigate(sys.argv[2])).ok, flush=True)
        await asyncio.sleep(60)

    asyncio.run(main())
"""


def start_host(folder: Path, url: str) -> subprocess.Popen[str]:
    host = subprocess.Popen(
        (sys.executable, "-c", textwrap.dedent(HOST), str(folder), url), stdout=subprocess.PIPE, text=True
    )
    assert host.stdout is not None
    assert host.stdout.readline() == "True\n"
    return host


async def test_nothing_outlives_a_server_that_is_killed(site: Site, tmp_path: Path):
    host = await asyncio.to_thread(start_host, tmp_path, site.url("/form"))
    assert len(running_processes(str(tmp_path))) > 2
    freeze_browsers(tmp_path)
    folders = temporary_folders(tmp_path)
    assert len(folders) == 2
    host.kill()
    host.communicate()
    await no_process_is_left(str(tmp_path))
    await eventually(
        lambda: [one for one in folders if one.exists()], lambda it: not it, message="no folder is left"
    )


async def test_what_outlives_even_the_guard_is_swept_at_the_next_start(site: Site, tmp_path: Path):
    host = await asyncio.to_thread(start_host, tmp_path, site.url("/form"))
    guards = [int(line.split()[0]) for line in running_processes("guard.py") if parent_of(line) == host.pid]
    assert len(guards) == 1
    freeze_browsers(tmp_path)
    os.kill(guards[0], signal.SIGKILL)
    host.kill()
    host.communicate()
    await asyncio.sleep(0.5)
    assert running_processes(str(tmp_path), "--remote-debugging-pipe")
    async with open_pool(tmp_path):
        await no_process_is_left(str(tmp_path))


async def test_a_cookie_set_just_before_the_server_is_killed_is_kept(site: Site, tmp_path: Path):
    site.pages["/cookie"] = lambda _: Answer(b"<p>ok", headers={"Set-Cookie": "kept=1; Max-Age=9999"})
    host = await asyncio.to_thread(start_host, tmp_path, site.url("/cookie"))
    host.kill()
    host.communicate()
    await no_process_is_left(str(tmp_path))
    assert saved_cookies(tmp_path) == ["kept"]


def saved_cookies(folder: Path) -> list[str]:
    """The names of the cookies in the session's profile."""
    (file,) = folder.glob("profiles/**/Cookies")
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as cookies:
        return [name for (name,) in cookies.execute("SELECT name FROM cookies")]


def parent_of(line: str) -> int | None:
    """None if it has ended: the guards of other tests come and go."""
    try:
        return int(Path(f"/proc/{line.split()[0]}/stat").read_text().rpartition(") ")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return None
