"""A browser with a window, on a display of its own: people see on the screen what the agent does."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.browser.browser import Field
from server.settings import Settings
from tests.support.browsers import element, open_pool, running_processes
from tests.support.eventually import eventually
from tests.support.sites import Site
from tests.support.x_display import XDisplay, x_display

PAGE = """<title>Colours</title><body style="background: rgb(200, 0, 200)">
<label>Name <input id="name"></label>
<button onclick="document.body.style.background = 'rgb(0, 160, ' + document.querySelector('input').value + ')'">Paint</button>
"""


@pytest.fixture
def display(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[XDisplay]:
    (tmp_path / "x").mkdir()
    with x_display(tmp_path / "x") as display:
        monkeypatch.setenv("DISPLAY", display.name)
        monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
        yield display


async def test_the_agent_acts_in_a_window_that_is_seen_on_the_screen(display: XDisplay, tmp_path: Path):
    with Site() as site:
        url = site.add("/colours", PAGE)
        async with open_pool(tmp_path / "data", browser_headless=None) as pool:
            browser = await pool.get("a")
            await browser.navigate(url)
            assert browser.chromium is not None
            assert not browser.chromium.headless
            assert not running_processes(str(tmp_path / "data"), "--headless")
            await eventually(
                lambda: display.share_of((200, 0, 200)),
                lambda it: it > 0.3,
                message="the page is on the screen",
            )
            seen = await browser.observe()
            await browser.type([Field(element(seen, "Name"), "77")])
            outcome = await browser.click(element(await browser.observe(), "Paint"))
            assert outcome.ok
            await eventually(
                lambda: display.share_of((0, 160, 77)),
                lambda it: it > 0.3,
                message="the page is painted",
            )
            assert display.share_of((200, 0, 200)) < 0.01
            assert await browser.screenshot() is not None
        await eventually(
            lambda: display.share_of((0, 160, 77)),
            lambda it: it < 0.01,
            message="the window is gone",
        )


async def test_without_a_display_browsers_are_headless_and_the_log_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    caplog.set_level(logging.INFO)
    with Site() as site:
        async with open_pool(tmp_path, browser_headless=False) as pool:
            browser = await pool.get("a")
            assert (await browser.navigate(site.url("/form"))).title == "Form"
            assert browser.chromium is not None
            assert browser.chromium.headless
    assert "no display" in caplog.text


@pytest.mark.parametrize(
    ("display", "chosen", "headless"),
    [
        (":1", None, False),
        (":1", False, False),
        (":1", True, True),
        ("", None, True),
        ("", False, True),
        ("", True, True),
    ],
)
def test_a_window_is_shown_where_there_is_a_display(
    monkeypatch: pytest.MonkeyPatch, display: str, chosen: bool | None, headless: bool
):
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert Settings(_env_file=None, browser_headless=chosen).headless is headless
