"""A page of any kind keeps the event loop of the server for at most 100 ms, in real Chromium with either tool server."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import pytest
import pytest_asyncio

from server.browser.mcp.session_browser import SessionBrowser
from server.browser.pool import BrowserPool
from tests.support.browsers import open_pool
from tests.support.loop_gaps import loop_gaps
from tests.support.sites import Site

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]

MOST = 0.1
"""Seconds of CPU time."""
MAX_TEXT = 21_000
"""Characters. Of a page that takes too long to be read whole, ten texts of 2,000 are left, and what is around them."""

# Larger than what is read of a page, and not hundreds of times as large: an answer of the tool server may have 4 MB, one
# of DevTools 12 MB; 200 elements of a kind and 20 frames are listed, and of a page of 15,000 elements what is in view.

LONG = "'x'.repeat(1e6)"
PAGES = {
    "a long title": "document.title = 'x'.repeat(3e6)",
    "a title of links, and a tab": "document.title = ']('.repeat(24e3) + '\\u2028'; open('about:blank')",
    "2,000 password fields": "add(2000, n => `<input type=password style='display:block' value=secret${n}>`)",
    "secret values without end": "add(40, n => '<input type=password>'); each('input', (el, n) => el.value = n + 'ab '.repeat(1e5))",
    "values of many spellings": "add(300, n => `<input type=password value='a b+${n}/%&quot;'>`); add(9000, n => 'a b+ a b+ a')",
    "20,000 links": "add(20000, n => `<a href=/links?${n}>Link ${n}</a> `)",
    "long addresses": "add(300, n => '<a>x</a>'); each('a', (el, n) => el.href = 'https://a.example/?' + 'y'.repeat(1e5))",
    "a deep document": "let at = document.body; for (let n = 0; n < 5000; n++) at = at.appendChild(document.createElement('div')); at.innerHTML = '<button>x</button>'",
    "deep and clickable": "let at = document.body; for (let n = 0; n < 2000; n++) { at = at.appendChild(document.createElement('div')); at.tabIndex = 0; at.onclick = () => 1; at.append('w' + n) }",
    "long attributes": f"add(10, n => '<button>'); each('button', el => {{ for (const name of ['aria-label', 'title', 'id', 'class', 'name', 'role']) el.setAttribute(name, {LONG}) }})",
    "one long name, used often": f"add(1, n => `<p hidden id=name>${{{LONG}}}`); add(200, n => '<button aria-labelledby=name>')",
    "long names, as many as are read": f"add(1, n => `<p hidden id=name>${{{LONG}}}`); add(12, n => '<button aria-labelledby=name>')",
    "18,000 listeners": "add(9000, n => '<i>x</i>'); each('i', (el, n) => { for (let k = 0; k < 2; k++) el.addEventListener('c' + n, () => k) })",
    "long texts": "add(8, n => `<p>${'word '.repeat(2e5)}`)",
    "texts of brackets": "add(2000, n => `<p>${'[e1] &lt;/page ](: \"'.repeat(60)}`)",
    "contents by style": "add(1000, n => '<p class=c>x'); const s = document.createElement('style'); s.textContent = `.c::before{content:'${'z'.repeat(2000)}'}`; document.head.append(s)",
    "long values": "add(100, n => '<textarea>'); each('textarea', el => el.value = 'v '.repeat(2e5))",
    "options": "add(60, n => `<select>${'<option>' + 'o'.repeat(200)}</select>`); each('select', el => { for (let n = 0; n < 400; n++) el.add(new Option('o'.repeat(190) + n)) })",
    "frames": "add(100, n => `<iframe srcdoc='<input type=password value=${n}>' width=20 height=20></iframe>`)",
    "frames of long addresses": "add(30, n => '<iframe>'); each('iframe', (el, n) => el.src = 'data:text/html,' + n + 'q'.repeat(1.5e6))",
    "an address that never rests": "let n = 0; setInterval(() => history.replaceState(0, '', '?' + n++ + 'u'.repeat(1e5)), 60)",
    "dialogs": "setTimeout(() => { for (let n = 0; n < 5; n++) alert('d'.repeat(1e6)) }, 50)",
    "a question": "setTimeout(() => confirm('d'.repeat(1e6)), 50)",
    "the console": "setInterval(() => console.error('c'.repeat(1e6)), 50)",
    "downloads": "add(20, n => `<a download='${'d'.repeat(1e5)}${n}' href='data:text/plain,x'>`); each('a', el => el.click())",
    "buttons of a form": "add(1, n => '<form action=/x>' + '<button>Send</button>'.repeat(6000) + '</form>')",
    "tags of long names": "add(300, n => `<x-${'t'.repeat(5000)} onclick=1 style='cursor:pointer'>tag ${n}`)",
}  # fmt: skip

HELPERS = """
const add = (count, make) => document.body.insertAdjacentHTML('beforeend', Array.from({length: count}, (_, n) => make(n)).join(''));
const each = (css, change) => document.querySelectorAll(css).forEach(change);
"""


WITH_BROWSER_USE = (
    "a title of links, and a tab", "20,000 links", "values of many spellings", "long addresses", "texts of brackets",
    "a question",
)  # fmt: skip
"""One of each kind. Browser Use needs up to a minute for its own list of others, in a process of its own; they are read
over DevTools, whichever server acts."""


@asynccontextmanager
async def kept(pool: BrowserPool) -> AsyncIterator[SessionBrowser]:
    """The same for all pages, but a new one after a page that it did not leave at once and without a trace."""
    browser = cast(SessionBrowser, await pool.get("hostile"))
    await browser.navigate("about:blank")
    yield browser
    left = await browser.navigate("about:blank")
    if left.notes or not left.ok or len(await browser.tabs()) > 1:
        await pool.close("hostile", purge=True)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser_use(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[BrowserPool]:
    async with open_pool(tmp_path_factory.mktemp("data"), browser_mcp="browser-use") as pool:
        yield pool


@pytest.mark.parametrize("name", PAGES)
async def test_no_page_keeps_the_loop(pool: BrowserPool, site: Site, name: str) -> None:
    await look_at(pool, site, name, "browser_snapshot")


@pytest.mark.parametrize("name", WITH_BROWSER_USE)
async def test_no_page_keeps_the_loop_with_browser_use(
    browser_use: BrowserPool, site: Site, name: str
) -> None:
    await look_at(browser_use, site, name, "browser_get_state")


async def look_at(pool: BrowserPool, site: Site, name: str, listing: str) -> None:
    url = site.add(
        "/hostile", f"<!doctype html><title>x</title><body><script>{HELPERS}{PAGES[name]}</script>"
    )
    gc.collect()
    gc.freeze()  # as the server does: otherwise a collection looks at all that the tests before have left
    async with kept(pool) as browser, loop_gaps() as gaps:
        await browser.navigate(url)
        seen = await browser.observe()
        seen = seen.model_validate(seen.model_dump(mode="json", exclude_defaults=True))
        assert len(seen.text()) < MAX_TEXT
        outcome = await browser.call(listing, {})
        assert len(outcome.text) < MAX_TEXT
        await browser.screenshot()
        await browser.wait(50)
    assert gaps.longest < MOST, f"{gaps.longest * 1000:.0f} ms"
