"""A frame that never answers leaves the rest of its page readable, at once, and is named."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

import pytest
import pytest_asyncio

from server.browser.browser import Browser
from server.browser.chromium.snapshots import SILENT_FRAME
from server.browser.pool import BrowserPool
from tests.support.browsers import element
from tests.support.sites import Answer, Site

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]

HOME = "<h1>Home of the shop</h1><button onclick=\"this.textContent = 'Started'\">Start</button>"
WAITS = 'the frame "Chat" has not loaded: what it may show is left out'


@pytest.fixture(scope="module")
def other() -> Iterator[Site]:
    with Site() as site:
        yield site


@pytest_asyncio.fixture(loop_scope="module")
async def browser(pool: BrowserPool) -> Browser:
    return await pool.get("silent")


def address(site: Site, other: Site, kind: str) -> str:
    """Of what the frame shows."""
    spinning = "<p>Inner</p><script>setTimeout(() => { for (;;); }, 300)</script>"
    other.add("/spinning", spinning)
    return {
        "endless": "/hang", "other site": other.url("/hang"),
        "spinning": other.url("/spinning", host="localhost"),
    }[kind]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "late"), [("endless", False), ("endless", True), ("other site", True), ("spinning", False)]
)
async def test_a_frame_that_never_answers_is_left_out_and_named(
    browser: Browser, site: Site, other: Site, kind: str, late: bool
) -> None:
    frame = f"<iframe title=Chat width=400 height=120 src={address(site, other, kind)}></iframe>"
    if late:
        frame = f"<div id=place></div><script>onload = () => {{ place.innerHTML = {frame!r} }}</script>"
    await browser.navigate(site.add("/home", HOME + frame))
    seen = await browser.observe()
    while kind == "spinning" and SILENT_FRAME not in seen.text_blocks:
        seen = await browser.observe()
    assert "# Home of the shop" in seen.text_blocks
    assert SILENT_FRAME in seen.text_blocks if kind == "spinning" else WAITS in seen.notes
    assert (await browser.click(element(seen, "Start"))).ok
    began = monotonic()
    seen = await browser.observe()
    assert element(seen, "Started")
    assert monotonic() - began < 7


async def test_a_frame_that_wants_a_login_of_the_browser_shows_what_its_site_says(
    browser: Browser, site: Site
) -> None:
    site.pages["/vault"] = lambda _: Answer(
        b"<p>Please log in to the vault", 401, headers={"WWW-Authenticate": 'Basic realm="vault"'}
    )
    await browser.navigate(site.add("/home", f"{HOME}<iframe src=/vault></iframe>"))
    seen = await browser.observe()
    assert "Please log in to the vault" in seen.text_blocks
    assert (await browser.click(element(seen, "Start"))).ok
    assert element(await browser.observe(), "Started")
    opened = await browser.navigate(site.url("/vault"))
    assert (opened.ok, "needs a login (401)" in opened.text) == (False, True)
    assert "Please log in to the vault" in (await browser.observe()).text()
