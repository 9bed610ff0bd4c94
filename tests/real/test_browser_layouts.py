"""Profiles, and another server in the browser's place."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.browser.browser import BrowserUnavailable, Field
from server.browser.chromium import executables as parts
from server.browser.mcp.session_browser import SessionBrowser
from tests.support.browsers import element, open_pool
from tests.support.sites import Site


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


async def log_in(browser: SessionBrowser, site: Site) -> None:
    await browser.navigate(site.url("/login"))
    seen = await browser.observe()
    outcome = await browser.type(
        [Field(element(seen, "User"), "ann"), Field(element(seen, "Password"), "x")], submit=True
    )
    assert outcome.title == "Private"


async def title_of(browser: SessionBrowser, url: str) -> str | None:
    return (await browser.navigate(url)).title


@pytest.mark.parametrize(
    ("mode", "again", "other"),
    [("session", "Private", "Log in"), ("fresh", "Log in", "Log in"), ("shared", "Private", "Private")],
)
async def test_a_profile_is_kept_shared_or_fresh(
    tmp_path: Path, site: Site, mode: str, again: str, other: str
):
    async with open_pool(tmp_path, browser_profile=mode) as pool:
        await log_in(await pool.get("a"), site)
        await pool.close("a")
        assert await title_of(await pool.get("a"), site.url("/private")) == again
        await pool.close("a")
        assert await title_of(await pool.get("b"), site.url("/private")) == other


async def test_a_command_of_ones_own_drives_our_chromium(tmp_path: Path, site: Site):
    program = f"{parts.find_node()} {parts.find_playwright_mcp()}"
    command = f"PLAYWRIGHT_MCP_CDP_ENDPOINT={{endpoint}} {program} --output-dir {{output}}"
    async with open_pool(tmp_path, browser_mcp=command) as pool:
        browser = await pool.get("a")
        assert await title_of(browser, site.url("/form")) == "Form"
        assert element(await browser.observe(), "Name")
        offered = {tool.name for tool in await pool.tools()}
        assert "browser_click" in offered
        assert not {"browser_evaluate", "browser_run_code_unsafe", "browser_file_upload"} & offered


async def test_a_server_with_no_browser_of_ours_and_no_such_tools_answers_in_words(tmp_path: Path):
    server = f"PYTHONPATH={Path.cwd()} {sys.executable} -m tests.support.scripted_mcp"
    async with open_pool(tmp_path, browser_mcp=server) as pool:
        browser = await pool.get("a")
        assert "hello" in (await browser.call("echo", {"text": "hello"})).text
        assert not (await browser.navigate("http://127.0.0.1/")).ok
        assert (await browser.observe()).interactive == ()
        assert await browser.screenshot() is None


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"browser_executable": Path("/no/such/chromium")}, "Chromium"),
        ({"browser_mcp": "/no/such/server"}, "server"),
        ({"browser_executable": Path("/bin/false")}, "ended at once"),
    ],
)
async def test_what_cannot_be_started_is_said_in_words(tmp_path: Path, settings: dict, why: str):
    async with open_pool(tmp_path, **settings) as pool:
        with pytest.raises(BrowserUnavailable, match=why):
            await (await pool.get("a")).navigate("http://127.0.0.1/")


async def test_readiness_names_what_is_missing(tmp_path: Path):
    async with open_pool(tmp_path) as pool:
        assert await pool.ready() is None
    async with open_pool(tmp_path, browser_executable=Path("/no/such/chromium")) as pool:
        assert "BROWSER_EXECUTABLE" in (await pool.ready() or "")
