"""A control of a row is pressed only while the row is the one that was meant, on both browser servers.

Each page fills its rows with other entries when the pointer comes, which is after the last look at it.
"""

from __future__ import annotations

from typing import cast

import pytest
import pytest_asyncio

from server.browser.browser import ToolOutcome
from server.browser.mcp.session_browser import SessionBrowser
from server.browser.mcp.targets import OTHER_THERE
from server.browser.observation import Element
from server.browser.pool import BrowserPool
from tests.support.sites import Site

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

REFILL = """<script>const row = one => one.querySelector('.n');
const all = root => [...root.querySelectorAll('.row')];
function refill(root, shift) { all(root).forEach((one, at) => { row(one).textContent = 'Entry ' + (at + 1 + shift) }) }
function start(root) { refill(root, 0);
  for (const one of all(root)) one.querySelector('.d').addEventListener('click', event => { event.preventDefault();
    document.title = 'deleted ' + row(one).textContent });
  if (MOVES) addEventListener('mousemove', () => refill(root, 1), true) }</script>"""
ROWS = {
    "a list": "<ul>" + "<li class=row><span class=n></span> <button class=d>Delete</button></li>" * 4 + "</ul>"
    "<script>start(document)</script>",
    "a table": "<table>" + "<tr class=row><td class=n></td><td>open</td><td><button class=d>Delete</button></td></tr>" * 4
    + "</table><script>start(document)</script>",
    "cards": "<div class=row><h3 class=n></h3><p>In stock.</p><button class=d>Delete</button></div>" * 4
    + "<script>start(document)</script>",
    "a web component": "<my-list></my-list><script>const root = document.querySelector('my-list').attachShadow({mode: 'open'});"
    "root.innerHTML = '<p class=row><span class=n></span> <button class=d>Delete</button></p>'.repeat(4); start(root)</script>",
}  # fmt: skip


@pytest_asyncio.fixture(loop_scope="module")
async def browser(either_pool: BrowserPool) -> SessionBrowser:
    return cast(SessionBrowser, await either_pool.get("rows"))


async def open_rows(browser: SessionBrowser, site: Site, kind: str, *, moves: bool) -> Element:
    page = f"<script>const MOVES = {str(moves).lower()}</script>{REFILL}{ROWS[kind]}"
    await browser.call("browser_navigate", {"url": site.add(f"/rows-{moves}-{list(ROWS).index(kind)}", page)})
    seen = await browser.observe()
    twins = [one for one in seen.interactive if one.name == "Delete"]
    assert len(twins) == 4, seen
    return twins[2]


async def press(browser: SessionBrowser, meant: Element, agent: str) -> ToolOutcome:
    if agent == "operator":
        return await browser.click(meant)
    named = {"target": meant.ref, "index": int(meant.ref)} if meant.ref.isdigit() else {"target": meant.ref}
    tool = next(spec for spec in browser.tools() if spec.name == "browser_click")
    known = tool.schema["properties"].keys()
    return await browser.call(
        "browser_click", {name: value for name, value in named.items() if name in known}
    )


@pytest.mark.parametrize("agent", ["operator", "assistant"])
@pytest.mark.parametrize("kind", ROWS)
async def test_nothing_is_pressed_in_a_row_that_was_filled_with_another_entry(
    browser: SessionBrowser, site: Site, kind: str, agent: str
) -> None:
    meant = await open_rows(browser, site, kind, moves=True)
    outcome = await press(browser, meant, agent)
    deleted = (await browser.observe()).page.title
    if outcome.ok:  # a server may press without moving the pointer: then the row was the one that was meant
        assert deleted == "deleted Entry 3"
    else:
        assert (deleted, outcome.text) == ("", OTHER_THERE)


@pytest.mark.parametrize("kind", ROWS)
async def test_a_row_that_stays_is_pressed(browser: SessionBrowser, site: Site, kind: str) -> None:
    meant = await open_rows(browser, site, kind, moves=False)
    outcome = await press(browser, meant, "operator")
    assert outcome.ok, outcome
    assert (await browser.observe()).page.title == "deleted Entry 3"
